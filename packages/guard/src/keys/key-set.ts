import { isJsonObject, parseStrictJson } from '../encoding/strict-json.ts'
import { admitKey, type KeyFault, type VerificationKey } from './verification-key.ts'

/** A key of the set that is not used, and why. */
export type UnusedKey = { readonly kid: string | undefined; readonly fault: KeyFault }

/** What a published key set gave. */
export type KeySet = {
  readonly keys: ReadonlyMap<string, VerificationKey>
  readonly unused: readonly UnusedKey[]
}

/** Why a document is not a key set to rely on. */
export type KeySetFault = 'not_json' | 'not_a_key_set' | 'too_many_keys' | 'no_usable_key'

const mostKeys = 100

/**
 * Judges the bytes of a published key set. A key that was in the previous set with the same
 * material stays the same object, so that what was verified with it stays known.
 *
 * @see RFC 7517 section 5
 */
export function readKeySet(
  bytes: Uint8Array,
  tenantId: string | undefined,
  previous: ReadonlyMap<string, VerificationKey>,
): KeySet | KeySetFault {
  const document = parseStrictJson(bytes)
  if (document === undefined) return 'not_json'
  if (!isJsonObject(document) || !Array.isArray(document.keys)) return 'not_a_key_set'
  if (document.keys.length > mostKeys) return 'too_many_keys'

  const keys = new Map<string, VerificationKey>()
  const unused: UnusedKey[] = []
  const ambiguous = new Set<string>()
  for (const jwk of document.keys) {
    const key = admitKey(jwk, tenantId)
    if (typeof key === 'string') {
      unused.push({ kid: kidOf(jwk), fault: key })
      continue
    }
    const twin = keys.get(key.kid)
    if (twin !== undefined && twin.material !== key.material) ambiguous.add(key.kid)
    const known = previous.get(key.kid)
    keys.set(key.kid, known?.material === key.material ? known : key)
  }
  // Nobody can say which of two keys of one name is meant, so neither is used.
  for (const kid of ambiguous) {
    keys.delete(kid)
    unused.push({ kid, fault: 'kid_ambiguous' })
  }
  return keys.size > 0 ? { keys, unused } : 'no_usable_key'
}

function kidOf(jwk: unknown): string | undefined {
  const kid = isJsonObject(jwk) ? jwk.kid : undefined
  return typeof kid === 'string' ? kid.slice(0, 256) : undefined
}
