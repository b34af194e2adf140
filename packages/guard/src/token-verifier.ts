import type { BearerCredentials } from './bearer-credentials.ts'
import type { EventListener } from './guard-event.ts'
import type { JudgedOptions, TrustedIssuer } from './guard-options.ts'
import { KeySource } from './keys/key-source.ts'
import { isSignedBy, type VerificationKey } from './keys/verification-key.ts'
import type { RefusalReason } from './refusal.ts'
import type { Runtime } from './runtime.ts'
import { readToken } from './token/access-token.ts'
import { judgeClaims, type VerifiedClaims } from './token/claims.ts'
import type { DeclaredRoles } from './token/declared-roles.ts'
import { TokenHeaders } from './token/token-header.ts'

/** A token whose signature and claims are good; whether it holds now is asked at each use. */
export type VerifiedToken<Role extends string> = VerifiedClaims<Role> & {
  /** The field value that it was sent in. */
  readonly authorization: string
  readonly key: VerificationKey
  readonly keySource: KeySource
}

/** A token that was not verified: it is bad, or its key has to be waited for, or cannot be had. */
export type Unverified =
  | { readonly reason: RefusalReason }
  | { readonly reason: 'keys_unavailable'; readonly keySource: KeySource }
  | {
      readonly reason: 'key_wanted'
      readonly keySource: KeySource
      readonly refresh: Promise<void>
    }

type Source = { readonly issuer: TrustedIssuer; readonly keySource: KeySource }

/** Verifies tokens of the trusted issuers, each with the keys of its own issuer only. */
export class TokenVerifier<Role extends string> {
  readonly keySources: readonly KeySource[]
  readonly #sources: ReadonlyMap<unknown, Source>
  readonly #roles: DeclaredRoles<Role>
  readonly #headers: TokenHeaders

  constructor(
    options: JudgedOptions,
    roles: DeclaredRoles<Role>,
    runtime: Runtime,
    listener: EventListener,
  ) {
    this.#roles = roles
    this.#headers = new TokenHeaders(new Set(options.tokenTypes.map((type) => type.toLowerCase())))
    const keySources = new Map<string, KeySource>()
    const sources = new Map<unknown, Source>()
    for (const issuer of options.issuers) {
      // Issuers of one tenant may publish one key set: then it is fetched once.
      const place = `${issuer.keySetUrl} ${issuer.tenantId}`
      const settings = { ...options.keySets, url: issuer.keySetUrl, tenantId: issuer.tenantId }
      const keySource = keySources.get(place) ?? new KeySource(settings, runtime, listener)
      keySources.set(place, keySource)
      sources.set(issuer.issuer, { issuer, keySource })
    }
    this.keySources = [...keySources.values()]
    this.#sources = sources
  }

  /** Nothing of the token is believed before step 4; until then it only chooses among what we trust. */
  verify({ token, authorization }: BearerCredentials): VerifiedToken<Role> | Unverified {
    // 1. Its form.
    const read = readToken(token, this.#headers)
    if (typeof read === 'string') return { reason: read }
    // 2. The issuer it names is one of ours.
    const source = this.#sources.get(read.claims.iss)
    if (source === undefined) return { reason: 'issuer_not_trusted' }
    // 3. The key it names is one of that issuer's.
    const { issuer, keySource } = source
    const key = keySource.isUsable ? keySource.keys.get(read.kid) : undefined
    if (key === undefined) return withoutKey(keySource)
    // 4. The key signed it.
    if (!isSignedBy(key, read.signingInput, read.signature)) return { reason: 'signature_invalid' }
    // 5. Its claims are an access token for us.
    const grant = judgeClaims(read.claims, issuer, this.#roles)
    return typeof grant === 'string'
      ? { reason: grant }
      : { ...grant, authorization, key, keySource }
  }
}

function withoutKey(keySource: KeySource): Unverified {
  const refresh = keySource.lookAgain()
  if (refresh !== undefined) return { reason: 'key_wanted', keySource, refresh }
  // "I could not check" is never "it is bad".
  return keySource.isConfirmed
    ? { reason: 'key_unknown' }
    : { reason: 'keys_unavailable', keySource }
}
