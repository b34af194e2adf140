import type { EventListener } from './guard-event.ts'
import type { PublishedKeys } from './keys/local-key-source.ts'

/** An issuer whose tokens a guard accepts, and the source of its keys: `keySetUrl` or `keys`. */
export type IssuerOptions = {
  /** The value of `iss` in its tokens. Required. */
  readonly issuer: string
  /** The API's names: `aud` of a token must be one of them, or contain one. At least one. */
  readonly audiences: readonly string[]
  /** The value of `tid` in its tokens. By default `tid` is not checked. */
  readonly tenantId?: string | undefined
  /** The URL where this issuer publishes its keys. They verify the tokens of this issuer only. */
  readonly keySetUrl?: string | undefined
  /** Returns the keys, in place of `keySetUrl`. It is called for each request. */
  readonly keys?: PublishedKeys | undefined
  /** The value of `ver`, if a token contains it. By default `ver` is not checked. */
  readonly tokenVersion?: string | undefined
  /** The claims with the IDs of the client and of the token, which differ between dialects. */
  readonly claims?: IssuerClaims | undefined
}

/** The names of the claims from which the caller is read. */
export type IssuerClaims = {
  /** The claim with the application ID of the client: by default `client_id`. */
  readonly applicationId?: string | undefined
  /** The claim with the ID of the token: by default `jti`. */
  readonly tokenId?: string | undefined
}

/** When a guard fetches the keys of its issuers. */
export type KeySetOptions = {
  /** Time between refreshes in the background, in seconds: 60 to 86,400, by default 3600. */
  readonly refreshSeconds?: number | undefined
  /** Time between an attempt and the next one for an unknown `kid`, in seconds: 1 to 3600, by default 30. */
  readonly cooldownSeconds?: number | undefined
  /**
   * Maximum age of a key set while refreshes fail, in seconds: 60 to 604,800, by default 86,400. It is
   * not shorter than `refreshSeconds`.
   */
  readonly ceilingSeconds?: number | undefined
  /** Limit for one whole attempt, in milliseconds: 100 to 60,000, by default 5000. */
  readonly timeoutMs?: number | undefined
}

/** Options of a guard. `entra` makes them for an API at Entra ID. */
export type GuardOptions<Role extends string = string> = {
  /** The issuers whose tokens are accepted: at least one, each with a different name. */
  readonly issuers: readonly IssuerOptions[]
  /** Every role that a route may require: at least one, each once. */
  readonly roles: readonly Role[]
  /** The `realm` of challenges, in printable ASCII without quotes and backslash: by default `api`. */
  readonly realm?: string | undefined
  /**
   * The scope that a client requests, which each challenge then contains: by default
   * `api://{apiApplicationId}/.default` with `entra`, else none. It names no role.
   */
  readonly scope?: string | undefined
  /** The URL of the protected resource metadata, which each challenge then contains. None by default. */
  readonly resourceMetadataUrl?: string | undefined
  /**
   * The accepted values of `typ`, compared without case: by default `JWT`, `at+jwt` and
   * `application/at+jwt`. A token without `typ` is accepted.
   */
  readonly tokenTypes?: readonly string[] | undefined
  /** Accepted difference between the clocks of issuer and API, in seconds: 0 to 60, by default 60. */
  readonly clockToleranceSeconds?: number | undefined
  /** Size of the cache of verified tokens, in tokens: 0 to 1,000,000, by default 10,000. */
  readonly maxCachedTokens?: number | undefined
  /**
   * Tokens that are bound to a client certificate (`cnf`, RFC 8705). `refused`, the default, accepts none.
   * `enforced` accepts them over a connection with that certificate. `required` accepts no other tokens.
   */
  readonly certificateBinding?: 'refused' | 'enforced' | 'required' | undefined
  /**
   * The keys of `@greeting/testing`, whose private parts are public. `refused`, the default, is the only
   * safe value outside a test.
   */
  readonly testKeys?: 'refused' | 'accepted' | undefined
  /** When the keys of the issuers are fetched. */
  readonly keySets?: KeySetOptions | undefined
  /** Receives every decision, and the events of the key sets. It must be quick. None by default. */
  readonly listener?: EventListener | undefined
}

/** Invalid options. The message lists every fault. */
export class GuardOptionsError extends TypeError {
  readonly code = 'guard_options'
  /** One sentence for each fault. It begins with the name of the option. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The options of the guard are invalid:\n${faults.join('\n')}`)
    this.name = 'GuardOptionsError'
    this.faults = faults
  }
}
