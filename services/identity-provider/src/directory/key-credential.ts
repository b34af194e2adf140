import { X509Certificate } from 'node:crypto'
import type { Source } from './source.ts'

/** A certificate with whose private key a client signs its assertions. */
export type KeyCredential = {
  /** GUID, lower case. */
  readonly keyId: string
  readonly displayName: string | null
  readonly startDateTime: Date
  readonly endDateTime: Date
  /** The X.509 certificate, DER. */
  readonly certificate: Uint8Array
  /** SHA-1 of the certificate's DER, base64url without padding. */
  readonly sha1Thumbprint: string
  /** SHA-256 of the certificate's DER, base64url without padding. */
  readonly sha256Thumbprint: string
}

/**
 * Takes a certificate, PEM or DER, as a credential that lasts as long as the certificate does.
 *
 * @throws {TypeError} when it is no X.509 certificate, or its key is not RSA of at least 2048 bits.
 */
export function createKeyCredential(
  certificate: string | Uint8Array,
  source: Source,
  displayName: string | null = null,
): KeyCredential {
  const parsed = parse(certificate)
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = parsed.publicKey
  if (type !== 'rsa' || (details?.modulusLength ?? 0) < 2048)
    throw new TypeError('The certificate must hold an RSA key of at least 2048 bits.')
  return {
    keyId: source.newGuid(),
    displayName,
    startDateTime: new Date(parsed.validFrom),
    endDateTime: new Date(parsed.validTo),
    certificate: parsed.raw,
    sha1Thumbprint: thumbprint(parsed.fingerprint),
    sha256Thumbprint: thumbprint(parsed.fingerprint256),
  }
}

function parse(certificate: string | Uint8Array): X509Certificate {
  try {
    return new X509Certificate(certificate)
  } catch (cause) {
    throw new TypeError('The certificate must be X.509, PEM or DER.', { cause })
  }
}

const thumbprint = (fingerprint: string) =>
  Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url')
