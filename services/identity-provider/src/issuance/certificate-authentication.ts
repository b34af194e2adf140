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
 * @throws {RefusedError} assertionAlgorithm, assertionNamesNoKey, assertionOfAnotherClient,
 *   assertionForAnotherAudience, assertionKeyUnknown, assertionKeyExpired, assertionKeyUnsafe,
 *   assertionSignature
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
  if (!algorithms.includes(algorithm)) refuse({ reason: 'assertionAlgorithm', algorithm })
  if (keyName === null) return refuse({ reason: 'assertionNamesNoKey' })
  // 2. From whom, to whom. A list of audiences could be shown to each of them.
  if (issuer.toLowerCase() !== clientId || subject.toLowerCase() !== clientId)
    refuse({ reason: 'assertionOfAnotherClient' })
  if (typeof assertion.audience !== 'string' || !audiences.has(assertion.audience))
    refuse({ reason: 'assertionForAnotherAudience' })
  // 3. The key, which only this client's own certificates can be.
  const key = shown(keyName)
  const credential = application.keyCredentials.find((one) => isNamed(one, keyName))
  if (credential === undefined) return refuse({ reason: 'assertionKeyUnknown', key, clientId })
  if (!hasStarted(credential, now, clockToleranceSeconds) || now >= credential.endDateTime)
    refuse({ reason: 'assertionKeyExpired', key, clientId })
  const publicKey = publicKeyOf(credential)
  if (publicKey === 'unsafe') return refuse({ reason: 'assertionKeyUnsafe', key, clientId })
  // 4. The signature.
  if (!(await isSignedBy(token, algorithm, publicKey)))
    refuse({ reason: 'assertionSignature', key, clientId })
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
