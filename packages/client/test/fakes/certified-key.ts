// Its dependency tsyringe refuses to load without it.
import 'reflect-metadata'
import { X509CertificateGenerator } from '@peculiar/x509'
import { forWebCrypto, rsaKeyPair } from '../../../../test/fixtures/rsa-key-pair.ts'

/** A private key and its certificate, as PEM, and the key that verifies its signatures. */
export type CertifiedKey = {
  readonly privateKey: string
  readonly certificate: string
  readonly publicKey: CryptoKey
  readonly thumbprint: string
}

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
}

export async function createCertifiedKey(): Promise<CertifiedKey> {
  const keys = forWebCrypto(rsaKeyPair())
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=client',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000),
  })
  const der = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  const spki = await crypto.subtle.exportKey('spki', keys.publicKey)
  const pss = { name: 'RSA-PSS', hash: 'SHA-256' }
  const base64 = Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    privateKey: `-----BEGIN PRIVATE KEY-----\n${base64}\n-----END PRIVATE KEY-----\n`,
    certificate: `${certificate.toString('pem')}\n`,
    publicKey: await crypto.subtle.importKey('spki', spki, pss, true, ['verify']),
    thumbprint: Buffer.from(await certificate.getThumbprint('SHA-256')).toString('base64url'),
  }
}
