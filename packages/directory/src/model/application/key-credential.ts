import { type KeyObject, X509Certificate } from 'node:crypto'
import { rsaKeyFault } from '@greeting/guard'
import { z } from 'zod'
import { timeText } from '../exact-time.ts'
import { complexType, type PropertyView } from '../properties/property.ts'
import type { Runtime } from '../runtime.ts'
import { storableTextIssues } from '../storable-text.ts'
import { credentialMembers, lastUsedDateTime } from './credential.ts'

/** A certificate of an application. The client signs its assertions with the private key. */
export type KeyCredential = {
  /** A GUID in lower case. */
  readonly keyId: string
  readonly displayName: string | null
  readonly startDateTime: Date
  readonly endDateTime: Date
  /** The X.509 certificate, DER; empty for one to sign with. */
  readonly certificate: Uint8Array
  /** SHA-1 of the certificate's DER, base64url without padding. */
  readonly sha1Thumbprint: string
  /** SHA-256 of the certificate's DER, base64url without padding. */
  readonly sha256Thumbprint: string
}

/**
 * Creates a credential from a certificate in PEM or DER. It is valid as long as the certificate.
 *
 * @param displayName default: the subject of the certificate (entra E181)
 * @throws {TypeError} when it is no X.509 certificate, or its key may not verify assertions.
 */
export function createKeyCredential(
  certificate: string | Uint8Array,
  source: Runtime,
  displayName: string | null = null,
): KeyCredential {
  const parsed = parse(certificate)
  if (safeKeyOf(parsed) === undefined) throw new TypeError(`The certificate must hold ${safeKey}`)
  return {
    keyId: source.newGuid(),
    displayName: displayName ?? subjectOf(parsed),
    startDateTime: new Date(parsed.validFrom),
    endDateTime: new Date(parsed.validTo),
    certificate: parsed.raw,
    sha1Thumbprint: thumbprint(parsed.fingerprint),
    sha256Thumbprint: thumbprint(parsed.fingerprint256),
  }
}

/** The keys that may verify client assertions, in words. */
export const safeKey =
  'an RSA key of 2048 to 8192 bits with an odd exponent from 65537 up to 2^32, or a P-256 key'

/**
 * The key that verifies a credential's assertions; undefined if it is too weak or too slow. A
 * credential that an earlier release stored may have such a key.
 */
export const verificationKeyOf = ({ certificate }: KeyCredential): KeyObject | undefined =>
  safeKeyOf(parse(certificate))

/**
 * True if a certificate verifies assertions. A certificate for signing tokens is stored without its
 * bytes (entra E242).
 */
export const verifies = ({ certificate }: KeyCredential): boolean => certificate.length > 0

const maxNameLength = 256

/** The short names of attributes that Windows writes differently from OpenSSL. */
const attributeNames = new Map([
  ['ST', 'S'],
  ['emailAddress', 'E'],
])

/** The subject in one line, the most specific part first; null when it is empty or cannot be stored. */
function subjectOf({ subject = '' }: X509Certificate): string | null {
  const parts = subject.split('\n').map((part) => {
    const [name = '', ...value] = part.split('=')
    return [attributeNames.get(name) ?? name, ...value].join('=')
  })
  const line = parts.toReversed().join(', ').slice(0, maxNameLength)
  return line === '' || storableTextIssues(line).length > 0 ? null : line
}

function safeKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    const { publicKey } = certificate
    const isP256 = publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return isP256 || rsaKeyFault(publicKey) === undefined ? publicKey : undefined
  } catch {
    // OpenSSL does not read every key that a certificate may hold.
    return undefined
  }
}

function parse(certificate: string | Uint8Array): X509Certificate {
  try {
    return new X509Certificate(certificate)
  } catch (cause) {
    throw new TypeError('The certificate must be X.509, PEM or DER', { cause })
  }
}

const thumbprint = (fingerprint: string) =>
  Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url')

const maxKeyLength = 65_536

/** The Microsoft Graph type of a certificate. */
export const keyCredentialType = complexType('keyCredential', {
  ...credentialMembers,
  key: {
    type: 'Edm.Binary',
    body: z
      .string()
      .max(maxKeyLength, `must not be longer than ${maxKeyLength} characters`)
      // Some clients send the lines of a PEM file.
      .transform((key) => key.replaceAll(/[\r\n]/g, ''))
      .pipe(z.base64('must be a certificate in base64'))
      .nullish(),
  },
  type: {
    body: z.enum(['AsymmetricX509Cert', 'X509CertAndPassword']).optional(),
    filter: 'value',
  },
  usage: { body: z.enum(['Verify', 'Sign']).optional(), filter: 'value' },
  lastUsedDateTime,
})

/** True if a response contains the certificates themselves, which are long. */
export const isKeySelected = ({ selected }: Pick<PropertyView<never>, 'selected'>): boolean =>
  selected?.has('keyCredentials') ?? false

/** A certificate credential, with its thumbprint in hexadecimal. The long `key` is included only on request. */
export const keyCredentialJson = (
  { keyId, displayName, startDateTime, endDateTime, certificate, sha1Thumbprint }: KeyCredential,
  lastUsed: Date | undefined,
  withKey: boolean,
) => ({
  customKeyIdentifier: Buffer.from(sha1Thumbprint, 'base64url').toString('hex').toUpperCase(),
  displayName,
  endDateTime: timeText(endDateTime),
  key: withKey && certificate.length > 0 ? Buffer.from(certificate).toString('base64') : null,
  keyId,
  startDateTime: timeText(startDateTime),
  type: certificate.length > 0 ? 'AsymmetricX509Cert' : 'X509CertAndPassword',
  usage: certificate.length > 0 ? 'Verify' : 'Sign',
  lastUsedDateTime: lastUsed === undefined ? null : timeText(lastUsed),
})
