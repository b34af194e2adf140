import { isJsonObject, parseStrictJson } from '../encoding/strict-json.ts'
import { admitKey, type KeyFault, type VerificationKey } from './verification-key.ts'

/** A published key that is not used, with the reason. */
export type UnusedKey = { readonly kid: string | undefined; readonly fault: KeyFault }

/** The usable and the unusable keys of a key set. */
export type KeySet = {
  readonly keys: ReadonlyMap<string, VerificationKey>
  readonly unused: readonly UnusedKey[]
}

/** A key set without a usable key, with the reason for each of its keys. */
export type NoUsableKey = {
  readonly fault: 'no_usable_key'
  readonly unused: readonly UnusedKey[]
}

/** Why a key set is rejected as a whole. */
export type KeySetFault = 'not_json' | 'not_a_key_set' | NoUsableKey

/** Entra advises room for 1000. The bound of bytes is reached sooner, but for short keys. */
const maxKeys = 1000

/**
 * Reads the bytes of a published key set.
 *
 * @see RFC 7517 section 5
 */
export function readKeySet(
  bytes: Uint8Array,
  tenantId: string | undefined,
  previous: ReadonlyMap<string, VerificationKey>,
  acceptsTestKeys = false,
): KeySet | KeySetFault {
  const document = parseStrictJson(bytes)
  if (document === undefined) return 'not_json'
  if (!isJsonObject(document) || !Array.isArray(document.keys)) return 'not_a_key_set'
  return admitKeys(document.keys, tenantId, previous, acceptsTestKeys)
}

/**
 * Admits the keys of a key set one by one. A key with the same material as in the previous set stays
 * the same object, so that tokens verified with it stay in the cache.
 */
export function admitKeys(
  jwks: readonly unknown[],
  tenantId: string | undefined,
  previous: ReadonlyMap<string, VerificationKey>,
  acceptsTestKeys = false,
): KeySet | KeySetFault {
  const keys = new Map<string, VerificationKey>()
  const unused = jwks
    .slice(maxKeys, 2 * maxKeys)
    .map((jwk): UnusedKey => ({ kid: kidOf(jwk), fault: 'too_many_keys' }))
  const ambiguous = new Set<string>()
  for (const jwk of jwks.slice(0, maxKeys)) {
    const key = admitKey(jwk, tenantId, acceptsTestKeys)
    if (typeof key === 'string') {
      unused.push({ kid: kidOf(jwk), fault: key })
      continue
    }
    const twin = keys.get(key.kid)
    if (twin !== undefined && twin.material !== key.material) ambiguous.add(key.kid)
    const known = previous.get(key.kid)
    keys.set(key.kid, known?.material === key.material ? known : key)
  }
  // Two different keys with one `kid`: neither is used.
  for (const kid of ambiguous) {
    keys.delete(kid)
    unused.push({ kid, fault: 'kid_ambiguous' })
  }
  return keys.size > 0 ? { keys, unused } : { fault: 'no_usable_key', unused }
}

function kidOf(jwk: unknown): string | undefined {
  const kid = isJsonObject(jwk) ? jwk.kid : undefined
  return typeof kid === 'string' ? kid.slice(0, 256) : undefined
}
