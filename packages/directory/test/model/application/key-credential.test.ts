import assert from 'node:assert/strict'
import { createHash, webcrypto } from 'node:crypto'
import { describe, it } from 'node:test'
// The library below does not load without it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import {
  certificateOf,
  unsafeKeys,
} from '../../../../../test/fixtures/directory/unsafe-certificates.ts'
import { forWebCrypto, rsaKeyPair } from '../../../../../test/fixtures/rsa-key-pair.ts'
import { createKeyCredential } from '../../../src/model/application/key-credential.ts'
import { systemRuntime } from '../../../src/model/runtime.ts'

const notBefore = new Date('2026-01-01T00:00:00Z')
const notAfter = new Date('2027-01-01T00:00:00Z')

async function certificate(algorithm: object): Promise<x509.X509Certificate> {
  const keys = (await webcrypto.subtle.generateKey(algorithm as never, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair
  return x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=job',
    keys,
    notBefore,
    notAfter,
    signingAlgorithm: algorithm as never,
  })
}

const rsa = (modulusLength: number) => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength,
  publicExponent: new Uint8Array([1, 0, 1]),
})

describe('a certificate as a credential', () => {
  it('is the same from PEM and DER, with the thumbprints, start and expiry of the certificate', async () => {
    const pem = (await certificate(rsa(2048))).toString('pem')
    const fromPem = createKeyCredential(pem, systemRuntime, 'Job')
    const fromDer = createKeyCredential(fromPem.certificate, systemRuntime)
    const digest = (name: string) =>
      createHash(name).update(fromPem.certificate).digest('base64url')
    for (const credential of [fromPem, fromDer]) {
      assert.equal(credential.sha1Thumbprint, digest('sha1'))
      assert.equal(credential.sha256Thumbprint, digest('sha256'))
      assert.deepEqual(credential.startDateTime, notBefore)
      assert.deepEqual(credential.endDateTime, notAfter)
    }
  })

  // Entra E181: the first row is the answer to a request of Azure CLI.
  for (const [subject, name] of [
    [
      'C=AU, ST=Some-State, O=Internet Widgits Pty Ltd',
      'O=Internet Widgits Pty Ltd, S=Some-State, C=AU',
    ],
    ['CN=Müller', 'CN=Müller'],
    ['', null],
    [`CN=${'x'.repeat(300)}`, `CN=${'x'.repeat(253)}`],
  ] as const) {
    it(`is named ${String(name).slice(0, 20)} for the subject ${subject.slice(0, 20)}`, async () => {
      const made = await x509.X509CertificateGenerator.createSelfSigned({
        name: subject,
        keys: forWebCrypto(rsaKeyPair()),
        notBefore,
        notAfter,
        signingAlgorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      })
      const pem = made.toString('pem')
      assert.equal(createKeyCredential(pem, systemRuntime).displayName, name)
      assert.equal(createKeyCredential(pem, systemRuntime, 'Job').displayName, 'Job')
    })
  }

  for (const [what, key] of Object.entries(unsafeKeys)) {
    it(`is refused with a key ${what} (AS36)`, async () => {
      const der = await certificateOf(key)
      assert.throws(() => createKeyCredential(der, systemRuntime), {
        name: 'TypeError',
        message: /RSA key of 2048 to 8192 bits/,
      })
    })
  }

  it('may have a key on the curve P-256, but on no other curve (AS36)', async () => {
    const create = async (namedCurve: string) => {
      const curve = { name: 'ECDSA', namedCurve, hash: 'SHA-256' }
      return createKeyCredential((await certificate(curve)).toString('pem'), systemRuntime)
    }
    assert.equal((await create('P-256')).displayName, 'CN=job')
    await assert.rejects(create('P-384'), /RSA key of 2048 to 8192 bits.* or a P-256 key$/)
  })

  it('is refused if it is not a certificate', () => {
    assert.throws(() => createKeyCredential('no certificate', systemRuntime), {
      name: 'TypeError',
      message: 'The certificate must be X.509, PEM or DER',
    })
  })
})
