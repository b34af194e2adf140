import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type CertificateContent,
  commonName,
  extensions,
  makeCertificate,
  subjectOf,
} from '../../src/certificates/certificate.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const name = commonName('Ärger & Söhne')

const made = (content: Partial<CertificateContent> = {}) =>
  makeCertificate({
    subject: name,
    issuer: name,
    publicKey,
    signingKey: privateKey,
    notBefore: new Date('2030-01-01T00:00:00Z'),
    notAfter: new Date('2031-01-01T00:00:00Z'),
    extensions: [],
    ...content,
  })

describe('a certificate', () => {
  for (const end of ['2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z'])
    it(`encodes the expiry time ${end}`, () => {
      assert.deepEqual(made({ notAfter: new Date(end) }).validToDate, new Date(end))
    })

  const addresses = ['192.0.2.7', '::', '::1', '2001:db8::', '2001:DB8:0:1::7', '::ffff:192.0.2.7']
  for (const address of addresses)
    it(`is valid for the address ${address}, and for no other address`, () => {
      const certificate = made({ extensions: [extensions.names([address])] })
      assert.ok(certificate.checkIP(address))
      for (const other of addresses.filter((one) => one !== address))
        assert.equal(certificate.checkIP(other), undefined)
    })

  it('contains the given names, and is signed with the given key', () => {
    const names = Array.from({ length: 400 }, (_, index) => `host-${index}.contoso.example`)
    const certificate = made({ extensions: [extensions.names(names)] })
    assert.ok(certificate.checkHost(names.at(-1) ?? ''))
    assert.ok(certificate.verify(publicKey))
  })

  it('has a positive, unique serial number', () => {
    const [first, second] = [made(), made()].map(({ serialNumber }) => serialNumber)
    assert.match(first ?? '', /^01[0-9A-F]{30}$/)
    assert.notEqual(first, second)
  })

  it('returns its subject, even if the subject is not ASCII', () => {
    assert.equal(made().subject, 'CN=Ärger & Söhne')
    assert.ok(subjectOf(made()).isEqual(name))
  })

  it('refuses a signing key of another type', () => {
    const { privateKey: signingKey } = generateKeyPairSync('ed25519')
    assert.throws(() => made({ signingKey }), /a certificate needs a key of RSA or of a curve/)
  })
})
