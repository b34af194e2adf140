// Folder: The claims of a token, in both versions.

import { managedIdentityOf, requestedClaims } from '@greeting/directory'
import { agentSubject } from '../../issuance/agent-identity.ts'
import type { TokenDecision } from '../../issuance/token-decision.ts'
import { type Authority, issuerV1, issuerV2 } from '../authority.ts'
import type { OpaqueClaims } from './opaque-claims.ts'
import { withOptionalClaims } from './optional-claims.ts'
import type { TokenTimes } from './token-times.ts'

/** The values of a token that do not follow from the decision. */
type TokenContext = {
  readonly authority: Authority
  readonly times: TokenTimes
  readonly opaque: OpaqueClaims
}

/** The format of one access token version. */
export type TokenVersion = {
  /** The members of the header that name the key. */
  readonly keyMembers: (kid: string) => object
  /** Makes the claims. A pure function. */
  readonly claims: (decision: TokenDecision, context: TokenContext) => object
}

const classes = { secret: '1', assertion: '2', tls: '2' } as const
const authenticationClass = ({ client, method }: TokenDecision) =>
  managedIdentityOf(client.principal) === undefined ? classes[method] : '2'

/** The versions of the access token, by their value of `ver`. */
export const tokenVersions: Readonly<Record<'1.0' | '2.0', TokenVersion>> = {
  '1.0': {
    keyMembers: (kid) => ({ x5t: kid, kid }),
    claims: (decision, { authority, times, opaque }) => {
      const issuer = issuerV1(authority, decision.tenant.id)
      const { application } = decision.resource
      const usesId = requestedClaims(application).some(
        (claim) => claim.name === 'aud' && claim.additionalProperties.includes('use_guid'),
      )
      return {
        aud: usesId ? application.appId : decision.resource.requestedAs,
        iss: issuer,
        ...timeClaims(times),
        ...withOptionalClaims(decision, {
          aio: opaque.aio,
          appid: decision.client.application.appId,
          appidacr: authenticationClass(decision),
          idp: issuer,
          ...subjectClaims(decision, opaque, '1.0'),
        }),
      }
    },
  },
  '2.0': {
    keyMembers: (kid) => ({ kid }),
    claims: (decision, { authority, times, opaque }) => ({
      aud: decision.resource.application.appId,
      iss: issuerV2(authority, decision.tenant.id),
      ...timeClaims(times),
      ...withOptionalClaims(decision, {
        aio: opaque.aio,
        azp: decision.client.application.appId,
        azpacr: authenticationClass(decision),
        ...subjectClaims(decision, opaque, '2.0'),
      }),
    }),
  },
}

/** The version of a token. The API's registration decides it, not the version of the endpoint. */
export const tokenVersionOf = ({ resource }: TokenDecision): TokenVersion =>
  tokenVersions[resource.application.requestedAccessTokenVersion === 2 ? '2.0' : '1.0']

const timeClaims = ({ issuedAt, expiresAt }: TokenTimes) => ({
  iat: issuedAt,
  nbf: issuedAt,
  exp: expiresAt,
})

const subjectClaims = (decision: TokenDecision, opaque: OpaqueClaims, ver: string) => ({
  oid: decision.client.principal.id,
  rh: opaque.rh,
  // Without roles the claim is absent, not empty.
  ...(decision.roles.length > 0 && { roles: decision.roles }),
  sub:
    decision.fmiPath === undefined
      ? decision.client.principal.id
      : agentSubject(decision.tenant.id, decision.client.application.appId, decision.fmiPath),
  tid: decision.tenant.id,
  uti: opaque.uti,
  ver,
  xms_ftd: opaque.xms_ftd,
})
