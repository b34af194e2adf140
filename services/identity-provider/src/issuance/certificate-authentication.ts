import type { KeyObject } from 'node:crypto'
import { compactVerify, errors } from 'jose'
import { type KeyCredential, verificationKeyOf } from '../directory/key-credential.ts'
import type { Assertion } from './assertion.ts'
import type { Client } from './client.ts'
import { hasStarted } from './credential-start.ts'
import { refuse } from './refusal.ts'

const algorithms: readonly string[] = ['RS256', 'PS256']

// Parsing a certificate costs more than verifying a signature.
const publicKeys = new WeakMap<KeyCredential, KeyObject | 'unsafe'>()

/**
 * Authenticates a client by an assertion that it signed with the key of one of its certificates.
 *
 * @param audiences Every string by which the assertion may name this server, and nobody else.
 * @param clockToleranceSeconds How far the clock that set the start may be ahead.
 * @throws {RefusedError} assertion_algorithm_unsupported, assertion_key_missing, assertion_client_wrong,
 *   assertion_audience_wrong, assertion_key_unknown, assertion_key_expired, assertion_key_unsafe,
 *   assertion_signature_invalid
 * @see RFC 7523 §3
 */
export async function judgeCertificateAssertion(
  assertion: Assertion,
  { application }: Client,
  audiences: ReadonlySet<string>,
  now: Date,
  clockToleranceSeconds: number,
): Promise<KeyCredential> {
  const { algorithm, keyName, issuer, subject, token } = assertion
  const { appId: clientId } = application
  // 1. Its form.
  if (!algorithms.includes(algorithm))
    refuse({ reason: 'assertion_algorithm_unsupported', algorithm })
  if (keyName === null) return refuse({ reason: 'assertion_key_missing' })
  // 2. From whom, to whom. A list of audiences could be shown to each of them.
  if (issuer.toLowerCase() !== clientId || subject.toLowerCase() !== clientId)
    refuse({ reason: 'assertion_client_wrong' })
  if (typeof assertion.audience !== 'string' || !audiences.has(assertion.audience))
    refuse({ reason: 'assertion_audience_wrong' })
  // 3. The key, which only this client's own certificates can be.
  const key = shown(keyName)
  const credential = application.keyCredentials.find((one) => isNamed(one, keyName))
  if (credential === undefined) return refuse({ reason: 'assertion_key_unknown', key, clientId })
  if (!hasStarted(credential, now, clockToleranceSeconds) || now >= credential.endDateTime)
    refuse({ reason: 'assertion_key_expired', key, clientId })
  const publicKey = publicKeyOf(credential)
  if (publicKey === 'unsafe') return refuse({ reason: 'assertion_key_unsafe', key, clientId })
  // 4. The signature.
  if (!(await isSignedBy(token, algorithm, publicKey)))
    refuse({ reason: 'assertion_signature_invalid', key, clientId })
  return credential
}

/**
 * Whether a name from a header is of this certificate: its thumbprints as clients in the field write
 * them, base64 or base64url, padded or not, or in hexadecimal; or the id of the credential.
 */
function isNamed(
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

const shown = (name: string) =>
  hexThumbprint.test(name)
    ? name.toUpperCase()
    : Buffer.from(name, 'base64').toString('hex').toUpperCase().slice(0, 64)

async function isSignedBy(
  token: string,
  algorithm: string,
  publicKey: KeyObject,
): Promise<boolean> {
  try {
    await compactVerify(token, publicKey, { algorithms: [algorithm] })
    return true
  } catch (cause) {
    if (cause instanceof errors.JOSEError) return false
    throw cause
  }
}

function publicKeyOf(credential: KeyCredential): KeyObject | 'unsafe' {
  const known = publicKeys.get(credential)
  if (known !== undefined) return known
  const publicKey = verificationKeyOf(credential) ?? 'unsafe'
  publicKeys.set(credential, publicKey)
  return publicKey
}
