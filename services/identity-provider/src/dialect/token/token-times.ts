/** When a token is good. Seconds since the epoch, but for `expiresInSeconds`. */
export type TokenTimes = {
  /** `iat` and `nbf`. */
  readonly issuedAt: number
  readonly expiresAt: number
  /** `expires_in` of the answer: a second less than is left, for the way. */
  readonly expiresInSeconds: number
}

/** How long tokens last. */
export type TokenLifetime = {
  /** How far `iat` lies in the past, for verifiers whose clocks are late. */
  readonly backdatingSeconds: number
  /** Shortest and longest time from now until `exp`; each token gets a random one in between. */
  readonly shortestSeconds: number
  readonly longestSeconds: number
}

/**
 * The times of a token that is made now.
 *
 * @param random A number in [0, 1): tokens of many clients shall not all end at once.
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
