import type { TokenGrant } from '../../issuance/token-decision.ts'
import { type Authority, issuerV1, issuerV2 } from '../authority.ts'
import type { TokenTimes } from './token-times.ts'

/** The claims that say nothing to anybody but this server, new for each token. */
export type OpaqueClaims = {
  readonly aio: string
  readonly rh: string
  readonly uti: string
}

/** What goes into a token beside what was decided. */
export type TokenContext = {
  readonly authority: Authority
  readonly times: TokenTimes
  readonly opaque: OpaqueClaims
}

/** How one version of the access token is written. */
export type TokenVersion = {
  /** By which members of the header the key is named. */
  readonly header: 'x5t and kid' | 'kid'
  readonly claims: (grant: TokenGrant, context: TokenContext) => object
}

const clientAuthentication = { secret: '1', assertion: '2' } as const

/** The versions of the access token, by the value of `ver`. */
export const tokenVersions: Readonly<Record<'1.0' | '2.0', TokenVersion>> = {
  '1.0': {
    header: 'x5t and kid',
    claims: (grant, { authority, times, opaque }) => {
      const issuer = issuerV1(authority, grant.tenant.id)
      return {
        aud: asksFor(grant, 'aud', 'use_guid')
          ? grant.resource.application.appId
          : grant.resource.requestedAs,
        iss: issuer,
        ...instants(times),
        aio: opaque.aio,
        appid: grant.client.application.appId,
        appidacr: clientAuthentication[grant.method],
        idp: issuer,
        ...subject(grant, opaque, '1.0'),
      }
    },
  },
  '2.0': {
    header: 'kid',
    claims: (grant, { authority, times, opaque }) => ({
      aud: grant.resource.application.appId,
      iss: issuerV2(authority, grant.tenant.id),
      ...instants(times),
      aio: opaque.aio,
      azp: grant.client.application.appId,
      azpacr: clientAuthentication[grant.method],
      ...subject(grant, opaque, '2.0'),
    }),
  },
}

/** The version of the tokens for an API: as its registration says, whichever endpoint is asked. */
export const tokenVersionOf = ({ resource }: TokenGrant): TokenVersion =>
  tokenVersions[resource.application.requestedAccessTokenVersion === 2 ? '2.0' : '1.0']

const instants = ({ issuedAt, expiresAt }: TokenTimes) => ({
  iat: issuedAt,
  nbf: issuedAt,
  exp: expiresAt,
})

const subject = (grant: TokenGrant, opaque: OpaqueClaims, ver: string) => ({
  ...(asksFor(grant, 'idtyp') && { idtyp: 'app' }),
  oid: grant.client.principal.id,
  rh: opaque.rh,
  // A client without roles has no such claim, rather than an empty one.
  ...(grant.roles.length > 0 && { roles: grant.roles }),
  sub: grant.client.principal.id,
  tid: grant.tenant.id,
  uti: opaque.uti,
  ver,
})

const asksFor = ({ resource }: TokenGrant, name: string, property?: string): boolean =>
  resource.application.optionalAccessTokenClaims.some(
    (claim) =>
      claim.name === name &&
      (property === undefined || claim.additionalProperties.includes(property)),
  )
