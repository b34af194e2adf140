import { modifyAssertion, PrivateKeyJwt } from 'oauth4webapi'
import { nonEmptyString, type OptionRule, required, validateOptions } from '../option-rules.ts'
import type { AuthenticationContext, ClientAuthentication, Credential } from './credential.ts'

// Short, as RFC 7523 recommends, and long enough for a clock that is wrong by a minute or two.
const assertionLifetimeSeconds = 300

/** A certificate and its private key, as texts. */
export type ClientCertificateOptions = {
  /** The private key: PEM of PKCS #8, or a `CryptoKey` for RSA-PSS with SHA-256. */
  readonly privateKey: string | CryptoKey
  /** The certificate that is registered for the client, as PEM. */
  readonly certificate: string
}

const keyRule: OptionRule = {
  expected: 'PEM of PKCS #8, or a CryptoKey',
  accepts: (value) => nonEmptyString.accepts(value) || value instanceof CryptoKey,
}

/** Decodes the first PEM block with this label. */
function decodePem(pem: string, label: string): Uint8Array<ArrayBuffer> {
  const block = new RegExp(`-----BEGIN ${label}-----([A-Za-z0-9+/=\\s]+)-----END ${label}-----`)
  const base64 = block.exec(pem)?.[1]?.replaceAll(/\s/g, '')
  if (base64 === undefined) throw new TypeError(`there is no PEM block "${label}"`)
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

const base64url = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

async function importKey(pem: string): Promise<CryptoKey> {
  if (pem.includes('-----BEGIN RSA PRIVATE KEY-----')) {
    throw new TypeError(
      'the private key is PKCS #1; convert it to PKCS #8 with "openssl pkcs8 -topk8 -nocrypt"',
    )
  }
  if (pem.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----')) {
    throw new TypeError('the private key is encrypted; decrypt it with "openssl pkcs8 -nocrypt"')
  }
  const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' }
  // Not extractable, so that the imported key can only sign.
  return crypto.subtle.importKey('pkcs8', decodePem(pem, 'PRIVATE KEY'), algorithm, false, ['sign'])
}

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
  const key = typeof privateKey === 'string' ? await importKey(privateKey) : privateKey
  const digest = await crypto.subtle.digest('SHA-256', decodePem(certificate, 'CERTIFICATE'))
  const thumbprint = base64url(digest)

  const createAuthentication = ({
    tokenEndpoint,
    nowSeconds,
  }: AuthenticationContext): ClientAuthentication => ({
    id: thumbprint,
    authenticate: PrivateKeyJwt(key, {
      [modifyAssertion]: (header, payload) => {
        Object.assign(header, { typ: 'JWT', 'x5t#S256': thumbprint })
        const times = {
          iat: nowSeconds,
          nbf: nowSeconds,
          exp: nowSeconds + assertionLifetimeSeconds,
        }
        Object.assign(payload, { aud: tokenEndpoint, ...times })
      },
    }),
  })
  return {
    kind: 'certificate',
    identity: () => thumbprint,
    authentications: async (context) => [createAuthentication(context)],
  }
}
