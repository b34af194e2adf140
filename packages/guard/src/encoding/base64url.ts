/**
 * The bytes that a text in canonical base64url stands for; undefined for any other text.
 *
 * Node's decoder skips what it does not know and takes padding, the standard alphabet and trailing
 * bits. Each would make two tokens out of one, so the text must be what its own bytes encode to.
 *
 * @see RFC 7515 section 2, RFC 4648 section 3.5
 */
export function decodeBase64url(text: string): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
