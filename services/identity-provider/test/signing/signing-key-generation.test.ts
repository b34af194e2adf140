import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { before, describe, it } from 'node:test'
import type { NewSigningKey } from '@greeting/directory/keys'
import { calculateJwkThumbprint, importX509 } from 'jose'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { publishedKey } from '../../src/signing/signing-key.ts'
import { generateSigningKey } from '../../src/signing/signing-key-generation.ts'

const now = new Date('2030-03-01T12:00:00Z')
let key: NewSigningKey
let certificate: X509Certificate

before(async () => {
  key = await generateSigningKey(KeyEncryptionKey.generate(), now)
  certificate = new X509Certificate(Buffer.from(key.certificate, 'base64'))
})

describe('a generated signing key', () => {
  it('is RSA of 2048 bits with the exponent 65537', () => {
    assert.equal(certificate.publicKey.asymmetricKeyType, 'rsa')
    assert.deepEqual(certificate.publicKey.asymmetricKeyDetails, {
      modulusLength: 2048,
      publicExponent: 65537n,
    })
  })

  it('has a self-signed certificate for signing only, valid for five years', () => {
    assert.ok(certificate.verify(certificate.publicKey))
    assert.equal(certificate.ca, false)
    assert.equal(certificate.subject, certificate.issuer)
    assert.equal(certificate.validFromDate.toISOString(), '2030-03-01T11:00:00.000Z')
    assert.equal(certificate.validToDate.toISOString(), '2035-03-01T12:00:00.000Z')
  })

  it("has its certificate's SHA-1 thumbprint as its ID", () => {
    const sha1 = createHash('sha1').update(certificate.raw).digest('base64url')
    assert.equal(key.kid, sha1)
  })

  it('does not reveal its private key', () => {
    assert.match(key.sealedPrivateKey, /^v1\.[0-9a-f]{16}\.[\w-]{16}\.[\w-]{1500,}$/)
  })
})

describe('the entry in the key set (AS26)', () => {
  it('has the same public members as in Entra ID, in the same order, without alg', () => {
    const entry = publishedKey(key)
    assert.deepEqual(Object.keys(entry), ['kty', 'use', 'kid', 'x5t', 'n', 'e', 'x5c'])
    assert.equal(entry.kty, 'RSA')
    assert.equal(entry.use, 'sig')
    assert.equal(entry.e, 'AQAB')
    assert.equal(entry.x5t, entry.kid)
  })

  it('has the same key in n and e as in x5c', async () => {
    const entry = publishedKey(key)
    const fromCertificate = await importX509(certificate.toString(), 'RS256', { extractable: true })
    assert.equal(
      await calculateJwkThumbprint({ ...entry, x5c: undefined } as never),
      await calculateJwkThumbprint(fromCertificate),
    )
    assert.deepEqual(entry.x5c, [certificate.raw.toString('base64')])
  })
})
