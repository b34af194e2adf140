import type { BearerCredentials } from './bearer-credentials.ts'
import type { EventListener } from './guard-event.ts'
import type { KeySource } from './keys/key-source.ts'
import { LocalKeySource } from './keys/local-key-source.ts'
import { RemoteKeySource } from './keys/remote-key-source.ts'
import { isSignedBy, type VerificationKey } from './keys/verification-key.ts'
import type { TrustedIssuer, ValidatedOptions } from './options-schema.ts'
import type { RefusalReason } from './refusal.ts'
import type { Runtime } from './runtime.ts'
import { readToken } from './token/access-token.ts'
import { checkClaims, type VerifiedClaims } from './token/claims.ts'
import type { DeclaredRoles } from './token/declared-roles.ts'
import { TokenHeaderReader } from './token/token-header.ts'

/** A token with a valid signature and valid claims. Its validity period is checked at each use. */
export type VerifiedToken<Role extends string> = VerifiedClaims<Role> & {
  /** The value of the `Authorization` field. */
  readonly authorization: string
  readonly key: VerificationKey
  readonly keySource: KeySource
}

/** The result of verifying one token. */
export type Verification<Role extends string> = VerifiedToken<Role> | VerificationFailure

/** Why a token was not verified: it is invalid, or its key cannot be obtained, yet or at all. */
export type VerificationFailure =
  | { readonly reason: RefusalReason }
  | { readonly reason: 'issuer_not_trusted'; readonly issuer: unknown }
  | { readonly reason: 'keys_unavailable'; readonly keySource: KeySource }
  | {
      readonly reason: 'key_pending'
      readonly keySource: KeySource
      readonly refresh: Promise<void>
    }

type Source = { readonly issuer: TrustedIssuer; readonly keySource: KeySource }

/** Verifies tokens of the trusted issuers. Each token is checked only with the keys of its issuer. */
export class TokenVerifier<Role extends string> {
  readonly keySources: readonly KeySource[]
  readonly #sources: ReadonlyMap<unknown, Source>
  readonly #roles: DeclaredRoles<Role>
  readonly #headers: TokenHeaderReader

  constructor(
    options: ValidatedOptions,
    roles: DeclaredRoles<Role>,
    runtime: Runtime,
    emit: EventListener,
  ) {
    this.#roles = roles
    const tokenTypes = new Set(options.tokenTypes.map((type) => type.toLowerCase()))
    this.#headers = new TokenHeaderReader(tokenTypes)
    const sources: Source[] = []
    for (const issuer of options.issuers) {
      // Issuers of one tenant may share a key set. It is fetched once.
      const sharing = sources.find((source) => hasSameKeys(source.issuer, issuer))
      const keySource = sharing?.keySource ?? createKeySource(issuer, options, runtime, emit)
      sources.push({ issuer, keySource })
    }
    this.keySources = [...new Set(sources.map(({ keySource }) => keySource))]
    this.#sources = new Map(sources.map((source) => [source.issuer.issuer, source]))
  }

  /**
   * Before step 4 the token is not trusted: it only selects one of the configured issuers and keys.
   *
   * @returns a promise only if the runtime checks signatures asynchronously
   */
  verify({
    token,
    authorization,
  }: BearerCredentials): Verification<Role> | Promise<Verification<Role>> {
    // 1. The form.
    const read = readToken(token, this.#headers)
    if (typeof read === 'string') return { reason: read }
    // 2. The issuer is trusted.
    const source = this.#sources.get(read.claims.iss)
    if (source === undefined) return { reason: 'issuer_not_trusted', issuer: read.claims.iss }
    // 3. The issuer publishes the key.
    const { issuer, keySource } = source
    keySource.update()
    const key = keySource.isUsable ? keySource.keys.get(read.kid) : undefined
    if (key === undefined) return missingKey(keySource)
    const conclude = (isSigned: boolean): Verification<Role> => {
      // 4. The key signed the token.
      if (!isSigned) return { reason: 'signature_invalid' }
      // 5. The claims describe an access token for this API.
      const claims = checkClaims(read.claims, issuer, this.#roles)
      return typeof claims === 'string'
        ? { reason: claims }
        : { ...claims, authorization, key, keySource }
    }
    const isSigned = isSignedBy(key, read.signingInput, read.signature)
    if (typeof isSigned === 'boolean') return conclude(isSigned)
    return isSigned.then((result) => {
      // The key may have left its set during the check.
      if (!key.isPublished || !keySource.isUsable) return missingKey(keySource)
      return conclude(result)
    })
  }
}

function hasSameKeys(one: TrustedIssuer, other: TrustedIssuer): boolean {
  return (
    one.keySetUrl === other.keySetUrl && one.keys === other.keys && one.tenantId === other.tenantId
  )
}

function createKeySource(
  { issuer, keys, keySetUrl: url = '', tenantId }: TrustedIssuer,
  options: ValidatedOptions,
  runtime: Runtime,
  emit: EventListener,
): KeySource {
  const acceptsTestKeys = options.testKeys === 'accepted'
  if (keys !== undefined) return new LocalKeySource(issuer, keys, tenantId, emit, acceptsTestKeys)
  return new RemoteKeySource({ ...options.keySets, url, tenantId, acceptsTestKeys }, runtime, emit)
}

function missingKey(keySource: KeySource): VerificationFailure {
  const refresh = keySource.refreshForUnknownKey()
  if (refresh !== undefined) return { reason: 'key_pending', keySource, refresh }
  // If the keys may be out of date, the token may be valid: this is not a 401.
  return keySource.isConfirmed
    ? { reason: 'key_unknown' }
    : { reason: 'keys_unavailable', keySource }
}
