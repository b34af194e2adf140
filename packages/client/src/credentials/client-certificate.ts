import { modifyAssertion, PrivateKeyJwt } from 'oauth4webapi'
import { nonEmptyString, type OptionRule, required, validateOptions } from '../option-rules.ts'
import type { ClientAuthentication, Credential } from './credential.ts'

// Short, as RFC 7523 recommends, and long enough for a clock that is wrong by a minute or two.
const assertionLifetimeSeconds = 300

/** A certificate and its private key, as texts. */
export type ClientCertificateOptions = {
  /** The private key: PEM of PKCS #8, or a `CryptoKey` for RSA-PSS with SHA-256. */
  readonly privateKey: string | CryptoKey
  /** The certificate that is registered for the client, as PEM. */
  readonly certificate: string
}

export const keyRule: OptionRule = {
  expected: 'PEM of PKCS #8, or a CryptoKey',
  accepts: (value) => nonEmptyString.accepts(value) || value instanceof CryptoKey,
}

/** Decodes the first PEM block with this label. */
export function decodePem(pem: string, label: string): Uint8Array<ArrayBuffer> {
  const block = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`)
  const base64 = block.exec(pem)?.[1]?.replaceAll(/\s/g, '')
  if (base64 === undefined) throw new TypeError(`there is no PEM block "${label}"`)
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

export const base64url = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

export async function importKey(
  pem: string,
  algorithm: RsaHashedImportParams | EcKeyImportParams,
): Promise<CryptoKey> {
  if (pem.includes('-----BEGIN RSA PRIVATE KEY-----'))
    throw new TypeError(
      'the private key is PKCS #1; convert it to PKCS #8 with "openssl pkcs8 -topk8 -nocrypt"',
    )
  if (pem.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----'))
    throw new TypeError('the private key is encrypted; decrypt it with "openssl pkcs8 -nocrypt"')
  // Not extractable, so that the imported key can only sign.
  return crypto.subtle.importKey('pkcs8', decodePem(pem, 'PRIVATE KEY'), algorithm, false, ['sign'])
}

/** Signs an assertion. `header` names the key, and `id` distinguishes it. */
export const signedAuthentication = (
  key: CryptoKey,
  id: string,
  header: Readonly<Record<string, string>>,
  audience: string,
  nowSeconds: number,
): ClientAuthentication => ({
  id,
  authenticate: PrivateKeyJwt(key, {
    [modifyAssertion]: (protectedHeader, payload) => {
      Object.assign(protectedHeader, { typ: 'JWT', ...header })
      const exp = nowSeconds + assertionLifetimeSeconds
      Object.assign(payload, { aud: audience, iat: nowSeconds, nbf: nowSeconds, exp })
    },
  }),
})

/**
 * A certificate. The client signs an assertion with its private key (PS256) and never sends the key.
 *
 * @throws {TypeError} if the key or the certificate cannot be used
 * @see RFC 7523 sections 2.2 and 3, RFC 7515 section 4.1.8
 * @example
 * const credential = await clientCertificate({ privateKey: keyPem, certificate: certificatePem })
 */
export async function clientCertificate(options: ClientCertificateOptions): Promise<Credential> {
  validateOptions('clientCertificate', options, {
    privateKey: required(keyRule),
    certificate: required(nonEmptyString),
  })
  const { privateKey, certificate } = options
  const pss = { name: 'RSA-PSS', hash: 'SHA-256' }
  const key = typeof privateKey === 'string' ? await importKey(privateKey, pss) : privateKey
  const digest = await crypto.subtle.digest('SHA-256', decodePem(certificate, 'CERTIFICATE'))
  const thumbprint = base64url(digest)

  return {
    kind: 'certificate',
    identity: () => thumbprint,
    authentications: async ({ tokenEndpoint, nowSeconds }) => [
      signedAuthentication(key, thumbprint, { 'x5t#S256': thumbprint }, tokenEndpoint, nowSeconds),
    ],
  }
}
