import type { KeyObject } from 'node:crypto'
import { type KeyCredential, verificationKeyOf, verifies } from '@greeting/directory'
import { JOSEError } from 'jose/errors'
import { compactVerify } from 'jose/jws/compact/verify'
import { type AuthenticationRefusal, type Refused, refuse } from '../refusals/refusal.ts'
import { type Assertion, headerRefusal } from './assertion.ts'
import type { RegisteredClient } from './client.ts'
import { credentialValidity } from './credential-validity.ts'

const assertionAlgorithms: readonly string[] = ['RS256', 'RS384', 'RS512', 'PS256']

/** The algorithms that a server accepts. Entra ID does not accept ES256. */
export const assertionAlgorithmsFor = (acceptsMcpClients = false): readonly string[] =>
  acceptsMcpClients ? [...assertionAlgorithms, 'ES256'] : assertionAlgorithms

// Parsing a certificate costs more than verifying a signature.
const publicKeys = new WeakMap<KeyCredential, KeyObject | 'unsafe'>()

/** A certificate of a client with the key that verifies its assertions. */
export type VerificationCertificate = {
  readonly credential: KeyCredential
  readonly publicKey: KeyObject
  /** The name of the key for messages: its thumbprint in hexadecimal. */
  readonly displayedKey: string
}

/** The signer of an assertion: its name as the issuer, and its certificates. */
export type Signer = { readonly id: string; readonly certificates: readonly KeyCredential[] }

export const signerOf = (client: RegisteredClient): Signer => ({
  id: client.application.appId,
  certificates: certificatesOf(client),
})

/**
 * Finds the certificate that verifies a client's assertion, and checks everything except signature and time.
 *
 * @param audiences every string by which the assertion may name this server
 * @param clockToleranceSeconds how far the clock that set the start of the certificate may be ahead
 * @param algorithms those that the server accepts
 * @returns the certificate, or a refusal: `assertion_type_unsupported`, `assertion_algorithm_unsupported`,
 *   `assertion_key_missing`, `assertion_client_wrong`, `assertion_audience_wrong`, `assertion_key_unknown`,
 *   `assertion_key_expired` or `assertion_key_unsafe`
 * @see RFC 7523 section 3
 */
export function findCertificate(
  assertion: Assertion,
  { id: clientId, certificates }: Signer,
  audiences: ReadonlySet<string>,
  now: Date,
  clockToleranceSeconds: number,
  algorithms: readonly string[] = assertionAlgorithms,
): VerificationCertificate | Refused<AuthenticationRefusal> {
  // 1. The form.
  const header = headerRefusal(assertion, algorithms)
  if (header !== undefined) return header
  const { algorithm, issuer, subject, audience } = assertion
  const keyName = assertion.keyName ?? ''
  // 2. Issuer, subject and audience. Another server of a list of audiences could replay the assertion.
  if (issuer.toLowerCase() !== clientId || subject.toLowerCase() !== clientId)
    return refuse({ reason: 'assertion_client_wrong' })
  if (typeof audience !== 'string' || !audiences.has(audience))
    return refuse({ reason: 'assertion_audience_wrong' })
  // 3. The key: only a certificate of this client.
  const key = displayedKeyOf(keyName)
  const credential = certificates.find((one) => hasName(one, keyName))
  if (credential === undefined) return refuse({ reason: 'assertion_key_unknown', key, clientId })
  if (credentialValidity(credential, now, clockToleranceSeconds) !== 'valid')
    return refuse({ reason: 'assertion_key_expired' })
  const publicKey = publicKeyOf(credential)
  if (publicKey === 'unsafe') return refuse({ reason: 'assertion_key_unsafe', key, clientId })
  if ((publicKey.asymmetricKeyType === 'ec') !== (algorithm === 'ES256'))
    return refuse({ reason: 'assertion_algorithm_unsupported', algorithm })
  return { credential, publicKey, displayedKey: key }
}

/**
 * Finds the registered certificate that a client used in the TLS handshake. The handshake proves the
 * possession of the key, and the registration replaces a certificate authority.
 *
 * @param sha256Thumbprint of the certificate's DER, in base64url
 * @returns the credential, or a refusal: `assertion_key_unknown` or `assertion_key_expired`
 * @see RFC 8705 section 2.2
 */
export function findTlsCertificate(
  sha256Thumbprint: string,
  client: RegisteredClient,
  now: Date,
  clockToleranceSeconds: number,
): KeyCredential | Refused<AuthenticationRefusal> {
  const credential = certificatesOf(client).find((one) => one.sha256Thumbprint === sha256Thumbprint)
  if (credential === undefined) {
    const key = displayedKeyOf(sha256Thumbprint)
    return refuse({ reason: 'assertion_key_unknown', key, clientId: client.application.appId })
  }
  return credentialValidity(credential, now, clockToleranceSeconds) === 'valid'
    ? credential
    : refuse({ reason: 'assertion_key_expired' })
}

/** The certificates of an application, and those that count in the tenant of the request only. */
const certificatesOf = ({ application, principal }: RegisteredClient): readonly KeyCredential[] =>
  [...application.keyCredentials, ...(principal?.keyCredentials ?? [])].filter(verifies)

/** The certificates that are tried for an assertion whose header names none. */
const maxTriedCertificates = 10

/** The names of the certificates that may have signed a client's assertion, the newest first. */
export const keyNamesOf = (client: RegisteredClient): string[] =>
  certificatesOf(client)
    .toSorted((a, b) => b.startDateTime.getTime() - a.startDateTime.getTime())
    .slice(0, maxTriedCertificates)
    .map(({ sha256Thumbprint }) => sha256Thumbprint)

/** True if the key of a certificate verifies the signature of an assertion. */
export async function hasValidSignature(
  { token, algorithm }: Assertion,
  { publicKey }: VerificationCertificate,
): Promise<boolean> {
  try {
    await compactVerify(token, publicKey, { algorithms: [algorithm] })
    return true
  } catch (cause) {
    if (cause instanceof JOSEError) return false
    throw cause
  }
}

/**
 * Whether a key name of a header is a name of this certificate: a thumbprint in hexadecimal, base64
 * or base64url, with or without padding, as clients write it, or the id of the credential.
 */
function hasName(
  { sha1Thumbprint, sha256Thumbprint, keyId }: KeyCredential,
  name: string,
): boolean {
  const thumbprint = hexThumbprint.test(name)
    ? Buffer.from(name, 'hex').toString('base64url')
    : name
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace(/={0,2}$/, '')
  return (
    thumbprint === sha1Thumbprint || thumbprint === sha256Thumbprint || name.toLowerCase() === keyId
  )
}

const hexThumbprint = /^([0-9a-f]{40}|[0-9a-f]{64})$/i

export const displayedKeyOf = (name: string): string =>
  hexThumbprint.test(name)
    ? name.toUpperCase()
    : Buffer.from(name, 'base64').toString('hex').toUpperCase().slice(0, 64)

function publicKeyOf(credential: KeyCredential): KeyObject | 'unsafe' {
  const cached = publicKeys.get(credential)
  if (cached !== undefined) return cached
  const publicKey = verificationKeyOf(credential) ?? 'unsafe'
  publicKeys.set(credential, publicKey)
  return publicKey
}
