import { KeyObject } from 'node:crypto'
// The library below does not load without it.
import 'reflect-metadata'
import { createKeyCredential, type KeyCredential, systemRuntime } from '@greeting/directory'
import * as x509 from '@peculiar/x509'
import { CompactSign } from 'jose'
import { forWebCrypto, rsaKeyPair } from '../../../../test/fixtures/rsa-key-pair.ts'
import { clientId, tenantId } from './test-service.ts'

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
}
const dayMs = 86_400_000

/** A certificate of a client, with its private key. */
export type ClientCertificate = {
  readonly credential: KeyCredential
  readonly privateKey: KeyObject
}

/** Creates a certificate with a key on the curve P-256. */
export const curvedCertificate = async (): Promise<ClientCertificate> => {
  const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  return certificateOf(await crypto.subtle.generateKey(curve, true, ['sign', 'verify']), 365, curve)
}

/** Creates a certificate that is valid from yesterday, for some days. */
export const clientCertificate = async (days = 365): Promise<ClientCertificate> =>
  certificateOf(forWebCrypto(rsaKeyPair()), days, algorithm)

async function certificateOf(
  keys: CryptoKeyPair,
  days: number,
  signingAlgorithm: typeof algorithm,
): Promise<ClientCertificate> {
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=scheduled job',
    keys,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() - dayMs + days * dayMs),
    signingAlgorithm,
  })
  return {
    credential: createKeyCredential(certificate.toString('pem'), systemRuntime),
    privateKey: KeyObject.from(keys.privateKey),
  }
}

/** The differences from the usual assertion. Null omits the member. */
export type AssertionParts = {
  readonly header?: Record<string, unknown>
  readonly claims?: Record<string, unknown>
}

export const v2Endpoint = `http://login.test/${tenantId}/oauth2/v2.0/token`

/** Creates an assertion as MSAL does, with the listed differences. */
export function assertionOf(
  { credential, privateKey }: ClientCertificate,
  { header = {}, claims = {} }: AssertionParts = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const usual = { alg: 'PS256', typ: 'JWT', 'x5t#S256': credential.sha256Thumbprint }
  const payload = {
    aud: v2Endpoint,
    iss: clientId,
    sub: clientId,
    jti: crypto.randomUUID(),
    nbf: now,
    exp: now + 600,
  }
  // Without a JWT library, which would refuse to sign assertions that a server must refuse.
  return new CompactSign(Buffer.from(JSON.stringify(without({ ...payload, ...claims }))))
    .setProtectedHeader(without({ ...usual, ...header }) as { alg: string })
    .sign(privateKey)
}

const without = (members: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

/** The form parameters that send an assertion instead of the secret. */
export const asProof = (assertion: string): Record<string, string> => ({
  client_secret: '',
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: assertion,
})
