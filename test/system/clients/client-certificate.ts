import 'reflect-metadata'
import { writeFile } from 'node:fs/promises'
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import { forWebCrypto, repeatingRsaKeyPair } from '../../fixtures/rsa-key-pair.ts'

const signingAlgorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const hourMs = 3_600_000

/** A certificate for client authentication. */
export type ClientCertificate = {
  /** A file with the private key and the certificate in PEM, for clients. */
  readonly file: string
  /** The certificate alone, DER in base64, for Graph. */
  readonly base64: string
}

/** Creates a self-signed certificate, valid from an hour ago for two hours, and writes it with its key. */
export async function makeClientCertificate(file: string): Promise<ClientCertificate> {
  const keys = forWebCrypto(repeatingRsaKeyPair())
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=Greeting client',
      notBefore: new Date(Date.now() - hourMs),
      notAfter: new Date(Date.now() + hourMs),
      keys,
      signingAlgorithm,
    },
    crypto,
  )
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  const privateKey = PemConverter.encode(pkcs8, 'PRIVATE KEY')
  await writeFile(file, `${privateKey}\n${certificate.toString('pem')}\n`, { mode: 0o600 })
  return { file, base64: certificate.toString('base64') }
}
