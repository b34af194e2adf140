type Decode = (text: string) => Uint8Array<ArrayBuffer> | undefined

/**
 * Decodes canonical base64url. Returns undefined for any other text.
 *
 * A decoder may skip unknown characters and accept padding, the standard alphabet and trailing
 * bits. Then one token would have several spellings, so the bytes must encode to the same text.
 *
 * @see RFC 7515 section 2, RFC 4648 section 3.5
 */
export const decodeBase64url: Decode =
  typeof Buffer === 'undefined' ? decodeWithWebApis : decodeWithBuffer

function decodeWithBuffer(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/** Decodes canonical base64url without `Buffer`, for workerd without `nodejs_compat`. */
export function decodeWithWebApis(text: string): Uint8Array<ArrayBuffer> | undefined {
  let decoded: string
  try {
    decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
  const encoded = btoa(decoded).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return encoded === text
    ? Uint8Array.from(decoded, (character) => character.charCodeAt(0))
    : undefined
}
