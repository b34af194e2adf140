// The library below does not load without it.
import 'reflect-metadata'
import { createKeyCredential, type KeyCredential, systemRuntime } from '@greeting/directory'
import * as x509 from '@peculiar/x509'
import { forWebCrypto, repeatingRsaKeyPair } from '../../../../../fixtures/rsa-key-pair.ts'

const certificates = new Map<string, Promise<KeyCredential>>()

/** The certificate of a person. It is made once, because many tests have the same persons. */
export function certificateOf(name: string): Promise<KeyCredential> {
  const known = certificates.get(name) ?? newCertificate(name)
  certificates.set(name, known)
  return known
}

async function newCertificate(name: string): Promise<KeyCredential> {
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys: forWebCrypto(repeatingRsaKeyPair()),
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2030-01-01'),
    signingAlgorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  })
  return createKeyCredential(certificate.toString('pem'), systemRuntime)
}
