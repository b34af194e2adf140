import { accessTokenSeconds, builtInApiAppIds, policyOf } from '@greeting/directory'
import type { TokenDecision } from '../../issuance/token-decision.ts'

/** The times of a token, in seconds since the epoch, except for `expiresInSeconds`. */
export type TokenTimes = {
  /** `iat` and `nbf`. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** `expires_in` of the answer: one second less than the remaining time, for the transfer. */
  readonly expiresInSeconds: number
}

export type TokenLifetime = {
  /** How far `iat` is in the past, for verifiers whose clock is behind. */
  readonly backdatingSeconds: number
  /** The shortest and the longest time from now until `exp`. Each token gets a random time between them. */
  readonly shortestSeconds: number
  readonly longestSeconds: number
}

/** How long a token for an agent lives from now, in seconds: with the usual backdating 3900 (entra E196). */
const agentTokenSeconds = 3600

/**
 * The lifetime of the token that a decision allows. The API's policy decides it for every client
 * (entra E245). Entra documents no policy for the token of a blueprint.
 */
export function lifetimeOf(
  { agent, resource, tenant }: Pick<TokenDecision, 'agent' | 'resource' | 'tenant'>,
  lifetime: TokenLifetime,
): TokenLifetime {
  // No policy has an effect on them (entra E358).
  const isBuiltIn = builtInApiAppIds.includes(resource.application.appId)
  const policy = isBuiltIn
    ? undefined
    : policyOf(tenant, 'tokenLifetime', resource.application, resource.principal)
  const seconds =
    agent === undefined
      ? accessTokenSeconds(policy?.definition ?? null)
      : Math.min(agentTokenSeconds, lifetime.longestSeconds)
  return seconds == null
    ? lifetime
    : { ...lifetime, shortestSeconds: seconds, longestSeconds: seconds }
}

/**
 * The times of a token that is issued now.
 *
 * @param random a number in [0, 1), so that the tokens of many clients do not all expire together
 */
export function tokenTimes(
  { backdatingSeconds, shortestSeconds, longestSeconds }: TokenLifetime,
  now: Date,
  random: number,
): TokenTimes {
  const nowSeconds = Math.floor(now.getTime() / 1000)
  const lifetimeSeconds =
    shortestSeconds + Math.floor(random * (longestSeconds - shortestSeconds + 1))
  return {
    issuedAt: nowSeconds - backdatingSeconds,
    expiresAt: nowSeconds + lifetimeSeconds,
    expiresInSeconds: lifetimeSeconds - 1,
  }
}
