// Folder: The parts of an access token and the rules for each.

import { decodeBase64url } from '../encoding/base64url.ts'
import { isJsonObject, parseStrictJson } from '../encoding/strict-json.ts'
import type { RefusalReason } from '../refusal.ts'
import type { TokenHeaderReader } from './token-header.ts'

/** The parts of a token in the only accepted format. No part is verified yet. */
export type UnverifiedToken = {
  readonly kid: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly signingInput: string
  readonly signature: Uint8Array<ArrayBuffer>
}

const maxTokenCharacters = 16 * 1024

/**
 * Reads a compact JWS strictly: three parts of canonical base64url, header and claims as JSON objects
 * without repeated members, algorithm RS256 only.
 *
 * @see RFC 7515 section 5.2, RFC 8725 section 3
 */
export function readToken(
  token: string,
  headers: TokenHeaderReader,
): UnverifiedToken | RefusalReason {
  if (token.length > maxTokenCharacters) return 'token_malformed'
  const headerEnd = token.indexOf('.')
  const claimsEnd = token.indexOf('.', headerEnd + 1)
  if (headerEnd === -1 || claimsEnd === -1 || token.includes('.', claimsEnd + 1)) {
    return 'token_malformed'
  }
  const claimsBytes = decodeBase64url(token.slice(headerEnd + 1, claimsEnd))
  const signature = decodeBase64url(token.slice(claimsEnd + 1))
  if (claimsBytes === undefined || signature === undefined) return 'token_malformed'

  const header = headers.read(token.slice(0, headerEnd))
  if (typeof header === 'string') return header
  const claims = parseStrictJson(claimsBytes)
  if (!isJsonObject(claims)) return 'claims_malformed'
  return { kid: header.kid, claims, signingInput: token.slice(0, claimsEnd), signature }
}
