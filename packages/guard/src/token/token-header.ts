import { decodeBase64url } from '../encoding/base64url.ts'
import { isJsonObject, parseStrictJson } from '../encoding/strict-json.ts'
import { isUsableKid } from '../keys/verification-key.ts'
import type { RefusalReason } from '../refusal.ts'

/** What a header is good for: it names the key. */
export type TokenHeader = { readonly kid: string }

/**
 * Header members that change what a token means, or that bring their own key: none is supported, so
 * a token that carries one is not understood.
 */
const unsupportedMembers = ['crit', 'b64', 'zip', 'enc', 'cty', 'jku', 'jwk', 'x5u', 'x5c']

const mostRemembered = 100

/**
 * Reads the headers of tokens.
 *
 * All tokens that one key signs have the same header, letter for letter, so one that was accepted is
 * remembered by its whole text. That text alone decides: nothing is believed by it.
 */
export class TokenHeaders {
  readonly #tokenTypes: ReadonlySet<string>
  readonly #accepted = new Map<string, TokenHeader>()

  /** @param tokenTypes the accepted values of `typ`, in lower case */
  constructor(tokenTypes: ReadonlySet<string>) {
    this.#tokenTypes = tokenTypes
  }

  /** @param encoded the first part of a token */
  read(encoded: string): TokenHeader | RefusalReason {
    const known = this.#accepted.get(encoded)
    if (known !== undefined) return known
    const header = readHeader(encoded, this.#tokenTypes)
    if (typeof header === 'string') return header
    // Anybody can write a header: of many different ones none is worth its place.
    if (this.#accepted.size === mostRemembered) this.#accepted.clear()
    this.#accepted.set(encoded, header)
    return header
  }
}

function readHeader(encoded: string, tokenTypes: ReadonlySet<string>): TokenHeader | RefusalReason {
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
