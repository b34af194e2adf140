import { nonEmptyString, oneOf, required, validateOptions } from '../option-rules.ts'
import {
  base64url,
  decodePem,
  importKey,
  keyRule,
  signedAuthentication,
} from './client-certificate.ts'
import type { Credential } from './credential.ts'

const algorithms = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
} as const

/** A private key whose public key is registered at the authorization server. */
export type PrivateKeyJwtOptions = {
  /** PEM of PKCS #8, or a `CryptoKey` for the algorithm. */
  readonly privateKey: string | CryptoKey
  /** The algorithm of the signature, which the key must fit. */
  readonly algorithm: keyof typeof algorithms
  /** The key ID in the header of the assertion, `kid`. None by default. */
  readonly keyId?: string
  /** The audience of the assertion. By default the issuer if metadata named it, else the token endpoint. */
  readonly audience?: 'issuer' | 'token-endpoint'
}

/**
 * A private key without a certificate. The client signs an assertion with it and never sends the key.
 * Microsoft Entra ID requires a certificate: `clientCertificate`.
 *
 * @throws {TypeError} if an option is invalid, or the key does not fit the algorithm
 * @see RFC 7523 sections 2.2 and 3
 * @example
 * const credential = await privateKeyJwt({ privateKey: keyPem, algorithm: 'RS256' })
 */
export async function privateKeyJwt(options: PrivateKeyJwtOptions): Promise<Credential> {
  validateOptions('privateKeyJwt', options, {
    privateKey: required(keyRule),
    algorithm: required(oneOf(...Object.keys(algorithms))),
    keyId: nonEmptyString,
    audience: oneOf('issuer', 'token-endpoint'),
  })
  const { privateKey, algorithm, keyId, audience } = options
  const isText = typeof privateKey === 'string'
  const key = await keyOf(privateKey, algorithm)
  // A key that cannot be exported has no digest.
  const identity = isText
    ? base64url(await crypto.subtle.digest('SHA-256', decodePem(privateKey, 'PRIVATE KEY')))
    : `key:${keyId ?? ''}`
  return {
    kind: 'key',
    identity: () => identity,
    authentications: async ({ tokenEndpoint, issuer, nowSeconds }) => {
      if (audience === 'issuer' && issuer === undefined)
        throw new Error("the issuer is not known; set `audience` to 'token-endpoint'")
      const aud = audience === 'token-endpoint' ? tokenEndpoint : (issuer ?? tokenEndpoint)
      return [signedAuthentication(key, identity, keyId ? { kid: keyId } : {}, aud, nowSeconds)]
    },
  }
}

async function keyOf(
  privateKey: string | CryptoKey,
  algorithm: keyof typeof algorithms,
): Promise<CryptoKey> {
  const wanted = algorithms[algorithm]
  if (typeof privateKey === 'string') {
    return importKey(privateKey, wanted).catch((cause) => {
      if (cause instanceof TypeError) throw cause
      throw new TypeError(`the private key does not fit ${algorithm}`, { cause })
    })
  }
  const has: { readonly name: string; readonly namedCurve?: string } = privateKey.algorithm
  const curve = 'namedCurve' in wanted ? wanted.namedCurve : undefined
  if (has.name === wanted.name && has.namedCurve === curve) return privateKey
  throw new TypeError(`the private key does not fit ${algorithm}`)
}
