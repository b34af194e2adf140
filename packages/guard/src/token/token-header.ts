import { decodeBase64url } from '../encoding/base64url.ts'
import { isJsonObject, parseStrictJson } from '../encoding/strict-json.ts'
import { isUsableKid } from '../keys/verification-key.ts'
import type { RefusalReason } from '../refusal.ts'

/** The members of an accepted header that are used. */
export type TokenHeader = { readonly kid: string }

/**
 * Header members that change the meaning of a token, or that contain a key. None is supported, so a
 * token with one of them is refused.
 */
const unsupportedMembers = ['crit', 'b64', 'zip', 'enc', 'cty', 'jku', 'jwk', 'x5u', 'x5c']

const maxCachedHeaders = 100

/**
 * Reads and caches the headers of tokens.
 *
 * All tokens of one key have the same header. The cache is keyed by the full header text. A hit
 * grants no trust: the signature is still checked.
 */
export class TokenHeaderReader {
  readonly #tokenTypes: ReadonlySet<string>
  readonly #accepted = new Map<string, TokenHeader>()

  /** @param tokenTypes the accepted values of `typ`, in lower case */
  constructor(tokenTypes: ReadonlySet<string>) {
    this.#tokenTypes = tokenTypes
  }

  /** @param encoded the first part of a token */
  read(encoded: string): TokenHeader | RefusalReason {
    const cached = this.#accepted.get(encoded)
    if (cached !== undefined) return cached
    const header = parseHeader(encoded, this.#tokenTypes)
    if (typeof header === 'string') return header
    // Attackers can send unlimited distinct headers, so a full cache is cleared rather than grown.
    if (this.#accepted.size === maxCachedHeaders) this.#accepted.clear()
    this.#accepted.set(encoded, header)
    return header
  }
}

function parseHeader(
  encoded: string,
  tokenTypes: ReadonlySet<string>,
): TokenHeader | RefusalReason {
  const bytes = decodeBase64url(encoded)
  if (bytes === undefined) return 'token_malformed'
  const header = parseStrictJson(bytes)
  if (!isJsonObject(header)) return 'header_malformed'
  if (header.alg !== 'RS256') return 'algorithm_not_rs256'
  if (unsupportedMembers.some((member) => member in header)) return 'header_not_supported'
  const { kid, typ } = header
  if (!isUsableKid(kid)) return 'header_malformed'
  if (typ !== undefined && (typeof typ !== 'string' || !tokenTypes.has(typ.toLowerCase()))) {
    return 'type_not_access_token'
  }
  return { kid }
}
