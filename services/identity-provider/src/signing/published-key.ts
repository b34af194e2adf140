import { X509Certificate } from 'node:crypto'
import type { NewSigningKey } from './signing-key.ts'

/**
 * The public half of a signing key as an entry of the key set. Like Entra's it carries no `alg`;
 * what else a dialect adds, it adds after these members.
 *
 * @see RFC 7517 §4, RFC 7518 §6.3.1
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

/** The entry of the key set for a signing key, taken from its certificate. */
export function publishedKey({ kid, certificate }: NewSigningKey): PublishedKey {
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'))
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  return { kty: 'RSA', use: 'sig', kid, x5t: kid, n, e, x5c: [certificate] }
}
