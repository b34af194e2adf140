import { decodeBase64url } from './base64url.ts'
import type { RefusalReason } from './refusal.ts'
import { isJsonObject, parseStrictJson } from './strict-json.ts'
import { isUsableKid } from './verification-key.ts'

/** A token in its one accepted form, taken apart and not yet believed. */
export type UnverifiedToken = {
  readonly kid: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly signingInput: string
  readonly signature: Uint8Array
}

const longestToken = 16 * 1024

/**
 * Header members that change what a token means, or that bring their own key: none is supported, so
 * a token that carries one is not understood.
 */
const unsupportedMembers = ['crit', 'b64', 'zip', 'enc', 'cty', 'jku', 'jwk', 'x5u', 'x5c']

/**
 * Takes a compact JWS apart, strictly: three parts of canonical base64url, header and claims as
 * JSON objects without repeated members, RS256 and nothing else.
 *
 * @param tokenTypes the accepted values of `typ`, in lower case
 * @see RFC 7515 section 5.2, RFC 8725 section 3
 */
export function readToken(
  token: string,
  tokenTypes: ReadonlySet<string>,
): UnverifiedToken | RefusalReason {
  if (token.length > longestToken) return 'token_malformed'
  const headerEnd = token.indexOf('.')
  const claimsEnd = token.indexOf('.', headerEnd + 1)
  if (headerEnd === -1 || claimsEnd === -1 || token.includes('.', claimsEnd + 1)) {
    return 'token_malformed'
  }
  const headerBytes = decodeBase64url(token.slice(0, headerEnd))
  const claimsBytes = decodeBase64url(token.slice(headerEnd + 1, claimsEnd))
  const signature = decodeBase64url(token.slice(claimsEnd + 1))
  if (headerBytes === undefined || claimsBytes === undefined || signature === undefined) {
    return 'token_malformed'
  }

  const header = parseStrictJson(headerBytes)
  if (!isJsonObject(header)) return 'header_malformed'
  if (header.alg !== 'RS256') return 'algorithm_not_rs256'
  if (unsupportedMembers.some((member) => member in header)) return 'header_not_supported'
  const { kid, typ } = header
  if (!isUsableKid(kid)) return 'header_malformed'
  if (typ !== undefined && (typeof typ !== 'string' || !tokenTypes.has(typ.toLowerCase()))) {
    return 'type_not_access_token'
  }

  const claims = parseStrictJson(claimsBytes)
  if (!isJsonObject(claims)) return 'claims_malformed'
  return { kid, claims, signingInput: token.slice(0, claimsEnd), signature }
}
