/**
 * Decodes canonical base64url. Returns undefined for any other text.
 *
 * Node's decoder skips unknown characters and accepts padding, the standard alphabet and trailing
 * bits. Then one token would have several spellings, so the bytes must encode to the same text.
 *
 * @see RFC 7515 section 2, RFC 4648 section 3.5
 */
export function decodeBase64url(text: string): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
