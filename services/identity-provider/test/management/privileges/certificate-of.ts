// The library below does not load without it.
import 'reflect-metadata'
import type { KeyObject } from 'node:crypto'
import { createKeyCredential, type KeyCredential, systemRuntime } from '@greeting/directory'
import { signed } from '@greeting/lab'
import * as x509 from '@peculiar/x509'
import { forWebCrypto, repeatingRsaKeyPair } from '../../../../../test/fixtures/rsa-key-pair.ts'

/** A certificate as a credential, and its key. */
export type Certified = { readonly credential: KeyCredential; readonly privateKey: KeyObject }

const certificates = new Map<string, Promise<Certified>>()
const privateKeys = new Map<string, KeyObject>()

/** Creates a certificate with its key. */
export function certifiedBy(credential: KeyCredential): Certified {
  const privateKey = privateKeys.get(credential.sha256Thumbprint)
  if (privateKey === undefined) throw new TypeError('The certificate was not made here.')
  return { credential, privateKey }
}

/** Returns the certificate of a person. */
export const certificateOf = async (name: string): Promise<KeyCredential> =>
  (await certifiedKeyOf(name)).credential

/** Returns a person's certificate and key. They are created once, because many tests have the same persons. */
export function certifiedKeyOf(name: string): Promise<Certified> {
  const known = certificates.get(name) ?? newCertificate(name)
  certificates.set(name, known)
  return known
}

async function newCertificate(name: string): Promise<Certified> {
  const pair = repeatingRsaKeyPair()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys: forWebCrypto(pair),
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2030-01-01'),
    signingAlgorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  })
  const credential = createKeyCredential(certificate.toString('pem'), systemRuntime)
  privateKeys.set(credential.sha256Thumbprint, pair.privateKey)
  return { credential, privateKey: pair.privateKey }
}

/** Creates a proof that an object has a key, as the Microsoft Graph documentation describes it. */
export function proofOf(
  { credential, privateKey }: Certified,
  objectId: string,
  now: Date,
  { header = {}, ...claims }: { readonly [name: string]: unknown; readonly header?: object } = {},
): string {
  const nbf = Math.floor(now.getTime() / 1000)
  return signed(
    { alg: 'RS256', typ: 'JWT', x5t: credential.sha1Thumbprint, ...header },
    { aud: '00000002-0000-0000-c000-000000000000', iss: objectId, nbf, exp: nbf + 600, ...claims },
    privateKey,
  )
}
