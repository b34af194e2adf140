// Folder: The claims of a token, in both versions.

import { graphAppId, tokenExchangeAppId } from '@greeting/directory'
import { agentSubject, isAgent } from '../../issuance/agent-identity.ts'
import { exchangeMark } from '../../issuance/exchanged-token.ts'
import type { TokenDecision } from '../../issuance/token-decision.ts'
import { type Authority, issuerV1, issuerV2 } from '../authority.ts'
import type { OpaqueClaims } from './opaque-claims.ts'
import type { TokenTimes } from './token-times.ts'

/** The values of a token that do not follow from the decision. */
type TokenContext = {
  readonly authority: Authority
  readonly times: TokenTimes
  readonly opaque: OpaqueClaims
}

/** The form of one version of the access token. */
export type TokenVersion = {
  /** The members of the header that name the key. */
  readonly keyMembers: (kid: string) => object
  /** Makes the claims. A pure function. */
  readonly claims: (decision: TokenDecision, context: TokenContext) => object
}

const authenticationClass = { secret: '1', assertion: '2', tls: '2' } as const

/** The versions of the access token, by the value of `ver`. */
export const tokenVersions: Readonly<Record<'1.0' | '2.0', TokenVersion>> = {
  '1.0': {
    keyMembers: (kid) => ({ x5t: kid, kid }),
    claims: (decision, { authority, times, opaque }) => {
      const issuer = issuerV1(authority, decision.tenant.id)
      return {
        aud: requestsClaim(decision, 'aud', 'use_guid')
          ? decision.resource.application.appId
          : decision.resource.requestedAs,
        iss: issuer,
        ...timeClaims(times),
        aio: opaque.aio,
        appid: decision.client.application.appId,
        appidacr: authenticationClass[decision.method],
        idp: issuer,
        ...subjectClaims(decision, opaque, '1.0'),
        ...agentClaims(decision),
      }
    },
  },
  '2.0': {
    keyMembers: (kid) => ({ kid }),
    claims: (decision, { authority, times, opaque }) => ({
      aud: decision.resource.application.appId,
      iss: issuerV2(authority, decision.tenant.id),
      ...timeClaims(times),
      aio: opaque.aio,
      azp: decision.client.application.appId,
      azpacr: authenticationClass[decision.method],
      ...subjectClaims(decision, opaque, '2.0'),
      ...agentClaims(decision),
      ...(decision.resource.application.appId === tokenExchangeAppId && {
        xms_ficinfo: exchangeMark(decision),
      }),
    }),
  },
}

/** The version of a token. The registration of the API decides it, not the version of the endpoint. */
export const tokenVersionOf = ({ resource }: TokenDecision): TokenVersion =>
  tokenVersions[resource.application.requestedAccessTokenVersion === 2 ? '2.0' : '1.0']

const timeClaims = ({ issuedAt, expiresAt }: TokenTimes) => ({
  iat: issuedAt,
  nbf: issuedAt,
  exp: expiresAt,
})

const subjectClaims = (decision: TokenDecision, opaque: OpaqueClaims, ver: string) => ({
  // RFC 8705 section 3.1
  ...(decision.boundTo !== undefined && { cnf: { 'x5t#S256': decision.boundTo } }),
  ...((requestsClaim(decision, 'idtyp') || isGraphTokenOfAgent(decision)) && { idtyp: 'app' }),
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

/** The facets of an agent and of a blueprint: 3 and 9 are those of both, 11 of an agent (entra E198). */
function agentClaims(decision: TokenDecision): object {
  const { agent, client } = decision
  if (agent !== undefined) return { xms_act_fct: '3 9', xms_idrel: '7 16', xms_sub_fct: '9 3' }
  const isOfAgent = isAgent(client)
  if (!isOfAgent && client.application.blueprint === null) return {}
  const claims = {
    ...(isOfAgent && { xms_par_app_azp: client.principal.agentIdentityBlueprintId }),
    xms_act_fct: isOfAgent ? '3 9 11' : '3 9',
    xms_idrel: '7 10',
    xms_sub_fct: isOfAgent ? '9 3 11' : '9 3',
    xms_tnt_fct: '3 9',
  }
  if (isGraphTokenOfAgent(decision)) {
    return { app_displayname: client.principal.displayName, ...claims }
  }
  return Object.fromEntries(
    Object.entries(claims).filter(([name]) => requestsClaim(decision, name)),
  )
}

/** Only tokens for Graph have the claims about agents without a request of the API (entra E197, entra E199). */
const isGraphTokenOfAgent = ({ client, resource }: TokenDecision): boolean =>
  resource.application.appId === graphAppId &&
  (isAgent(client) || client.application.blueprint !== null)

/** Whether the API requests an optional claim, or a property of one. */
const requestsClaim = ({ resource }: TokenDecision, name: string, property?: string): boolean =>
  resource.application.optionalAccessTokenClaims.some(
    (claim) =>
      claim.name === name &&
      (property === undefined || claim.additionalProperties.includes(property)),
  )
