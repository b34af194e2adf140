import type * as NodeCrypto from 'node:crypto'

/** The numbers of an RSA public key, as published (RFC 7518 section 6.3.1). */
export type RsaPublicKey = { readonly kty: 'RSA'; readonly n: string; readonly e: string }

/** Checks whether a key signed the input with RS256. It returns a promise on a runtime without `node:crypto`. */
export type SignatureCheck = (input: string, signature: Bytes) => boolean | Promise<boolean>

type Bytes = Uint8Array<ArrayBuffer>

const exponent65537 = 'AQAB'
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/**
 * Creates a function that checks signatures with one key. The algorithm is a constant: it comes
 * neither from a token nor from a key.
 *
 * `node:crypto` verifies in one synchronous call, at half the cost of WebCrypto. It is not
 * imported, because workerd without `nodejs_compat` does not start with such an import.
 *
 * @returns undefined if the runtime does not support the exponent
 * @see RFC 7518 section 3.3
 */
export function signatureCheck(publicKey: RsaPublicKey): SignatureCheck | undefined {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')
  return crypto === undefined ? webCheck(publicKey) : nodeCheck(crypto, publicKey)
}

function nodeCheck(
  { createPublicKey, verify }: typeof NodeCrypto,
  publicKey: RsaPublicKey,
): SignatureCheck {
  const key = createPublicKey({ key: publicKey, format: 'jwk' })
  return (input, signature) => verify('RSA-SHA256', Buffer.from(input, 'latin1'), key, signature)
}

function webCheck(publicKey: RsaPublicKey): SignatureCheck | undefined {
  // workerd refuses to import any other one.
  if (publicKey.e !== exponent65537) return undefined
  const { subtle } = globalThis.crypto
  const encoder = new TextEncoder()
  // This stores the key, not its promise: workerd may drop the request that the promise belongs to.
  let key: CryptoKey | undefined
  return async (input, signature) => {
    key ??= await subtle.importKey('jwk', publicKey, rs256, false, ['verify'])
    return subtle.verify(rs256, key, signature, encoder.encode(input))
  }
}
