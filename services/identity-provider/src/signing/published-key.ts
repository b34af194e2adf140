import { X509Certificate } from 'node:crypto'
import type { NewSigningKey } from './signing-key.ts'

/**
 * The public part of a signing key as an entry of the key set. It has no `alg`, as in Entra. A
 * dialect adds its members after these.
 *
 * @see RFC 7517 section 4, RFC 7518 section 6.3.1
 */
export type PublishedKey = {
  readonly kty: 'RSA'
  readonly use: 'sig'
  readonly kid: string
  readonly x5t: string
  readonly n: string
  readonly e: string
  readonly x5c: readonly [string]
}

/** Makes the key set entry of a signing key from its certificate. */
export function publishedKey({ kid, certificate }: NewSigningKey): PublishedKey {
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  return { kty: 'RSA', use: 'sig', kid, x5t: kid, n, e, x5c: [certificate] }
}
