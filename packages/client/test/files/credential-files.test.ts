import assert from 'node:assert/strict'
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import {
  clientCertificateFiles,
  clientSecretFile,
  federatedAssertionFile,
} from '../../src/files/index.ts'
import { createCertifiedKey } from '../fakes/certified-key.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import { type Answer, grant, refusal, VirtualRuntime } from '../fakes/virtual-runtime.ts'

const sentIn = (environment: VirtualRuntime, name: string) =>
  environment.sent.map(({ form }) => form.get(name))

describe('a secret in a file', () => {
  it('is read again before each request', async () => {
    const path = join(freshFolder(), 'secret')
    const environment = new VirtualRuntime(grant('t1'))
    const source = tokenSourceIn(environment, { credential: clientSecretFile(path) })
    writeFileSync(path, 'first\n')
    await source.token()
    writeFileSync(path, 'second\r\n')
    await source.token({ force: true })
    assert.deepEqual(sentIn(environment, 'client_secret'), ['first', 'second'])
  })

  it('is used immediately if it changes during a refusal', async () => {
    const path = join(freshFolder(), 'secret')
    writeFileSync(path, 'old')
    const rotating: Answer = (request, signal) => {
      if (request.form.get('client_secret') === 'new') return grant('t1')(request, signal)
      writeFileSync(path, 'new')
      return refusal('invalid_client')(request, signal)
    }
    const environment = new VirtualRuntime(rotating)
    assert.equal(
      await tokenSourceIn(environment, { credential: clientSecretFile(path) }).token(),
      't1',
    )
    assert.deepEqual(sentIn(environment, 'client_secret'), ['old', 'new'])
  })

  it('causes an error with its path if it cannot be read', async () => {
    const folder = freshFolder()
    const empty = join(folder, 'empty')
    writeFileSync(empty, '\n')
    for (const path of [join(folder, 'absent'), empty]) {
      const environment = new VirtualRuntime(grant('t1'))
      const source = tokenSourceIn(environment, { credential: clientSecretFile(path) })
      await assert.rejects(source.token(), (error: unknown) => {
        assert.ok(error instanceof Error && 'code' in error)
        assert.equal(error.code, 'credential_unreadable')
        assert.ok(error.message.includes(path))
        return true
      })
      assert.equal(environment.sent.length, 0)
    }
  })
})

describe('a federated assertion in a file', () => {
  it('is read again before each request', async () => {
    const path = join(freshFolder(), 'token')
    const environment = new VirtualRuntime(grant('t1'))
    const source = tokenSourceIn(environment, { credential: federatedAssertionFile(path) })
    writeFileSync(path, 'a.b.c\n')
    await source.token()
    writeFileSync(path, 'd.e.f')
    await source.token({ force: true })
    assert.deepEqual(sentIn(environment, 'client_assertion'), ['a.b.c', 'd.e.f'])
  })
})

describe('a certificate in files', () => {
  it('is read again before each request, from one file or two', async () => {
    const folder = freshFolder()
    const certificateFile = join(folder, 'certificate.pem')
    const privateKeyFile = join(folder, 'key.pem')
    const [first, second] = [await createCertifiedKey(), await createCertifiedKey()]
    const environment = new VirtualRuntime(grant('t1'))

    writeFileSync(certificateFile, first.certificate + first.privateKey)
    await tokenSourceIn(environment, {
      credential: clientCertificateFiles({ certificateFile }),
    }).token()

    const credential = clientCertificateFiles({ certificateFile, privateKeyFile })
    const source = tokenSourceIn(environment, { credential })
    writeFileSync(privateKeyFile, first.privateKey)
    await source.token()
    writeFileSync(certificateFile, second.certificate)
    // The format that older versions of openssl write.
    const pkcs1 = createPrivateKey(second.privateKey).export({ type: 'pkcs1', format: 'pem' })
    writeFileSync(privateKeyFile, pkcs1)
    await source.token({ force: true })

    const thumbprints = sentIn(environment, 'client_assertion').map(
      (assertion) => decodeProtectedHeader(assertion ?? '')['x5t#S256'],
    )
    assert.deepEqual(thumbprints, [first.thumbprint, first.thumbprint, second.thumbprint])
  })

  it('is not used with the key of another certificate', async () => {
    const certificateFile = join(freshFolder(), 'certificate.pem')
    const [first, second] = [await createCertifiedKey(), await createCertifiedKey()]
    writeFileSync(certificateFile, first.certificate + second.privateKey)
    const credential = clientCertificateFiles({ certificateFile })
    await assert.rejects(tokenSourceIn(new VirtualRuntime(grant('t1')), { credential }).token(), {
      code: 'credential_unreadable',
      message: /the private key does not belong to the certificate/,
    })
  })
})

const mark = (text: string) => `\ufeff${text}`
const utf16 = (text: string) => Buffer.from(mark(text), 'utf16le')
const bigEndian = (text: string) => utf16(text).swap16()

describe('a certificate file in another format', async () => {
  const { certificate, privateKey } = await createCertifiedKey()
  const both = certificate + privateKey
  const key = createPrivateKey(privateKey)
  const encrypted = (type: 'pkcs1' | 'pkcs8') =>
    key.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const ecPem = ec.export({ type: 'pkcs8', format: 'pem' }).toString()
  const oneLine = both.replaceAll('\n', '\\n')
  const rows: readonly (readonly [what: string, content: string | Buffer, says: RegExp | null])[] =
    [
      ['the key first', privateKey + certificate, null],
      ['CRLF', both.replaceAll('\n', '\r\n'), null],
      ['a byte order mark', mark(both), null],
      ['bag attributes', `Bag Attributes\n    friendlyName: a\\nb\n${both}`, null],
      [
        'a following authority certificate',
        certificate + (await createCertifiedKey()).certificate + privateKey,
        null,
      ],
      [
        'an encrypted key',
        certificate + encrypted('pkcs8'),
        /encrypted private key; decrypt.*openssl pkey -in/,
      ],
      [
        'an encrypted PKCS #1 key',
        certificate + encrypted('pkcs1'),
        /encrypted private key; decrypt/,
      ],
      ['only a key', privateKey, /there is no certificate in PEM/],
      ['only a certificate', certificate, /there is no private key in PEM/],
      [
        'a public key',
        certificate + createPublicKey(key).export({ type: 'spki', format: 'pem' }),
        /there is no private key in PEM/,
      ],
      ['the two characters \\n', oneLine, /the two characters \\n where line breaks must be/],
      [
        'a PFX',
        Buffer.from('308209cf02010330820985', 'hex'),
        /PKCS #12 \(PFX\); convert.*openssl pkcs12/,
      ],
      ['a small PFX', Buffer.from('307702010330', 'hex'), /PKCS #12 \(PFX\)/],
      [
        'a DER certificate',
        new X509Certificate(certificate).raw,
        /DER; convert.*openssl x509 -inform/,
      ],
      [
        'a DER key',
        key.export({ type: 'pkcs8', format: 'der' }),
        /DER; convert.*openssl pkey -inform/,
      ],
      [
        'an EC key in DER',
        ec.export({ type: 'sec1', format: 'der' }),
        /DER; convert.*openssl pkey/,
      ],
      ['UTF-16', utf16(both), /is UTF-16, not UTF-8/],
      ['UTF-16 in big endian', bigEndian(both), /is UTF-16, not UTF-8/],
      ['UTF-16 without a byte order mark', utf16(both).subarray(2), /is UTF-16, not UTF-8/],
      [
        'an OpenSSH key',
        `${certificate}-----BEGIN OPENSSH PRIVATE KEY-----\n`,
        /key of OpenSSH; convert/,
      ],
      [
        'a certificate request',
        `${privateKey}-----BEGIN CERTIFICATE REQUEST-----\n`,
        /certificate request; use the certificate/,
      ],
      [
        'a truncated key',
        certificate + privateKey.replace(/[\w+/=]{64}\n/, ''),
        /private key in PEM is damaged/,
      ],
      [
        'a truncated certificate',
        certificate.replace(/[\w+/=]{64}\n/, '') + privateKey,
        /certificate in PEM is damaged/,
      ],
      ['an EC key', certificate + ecPem, /the private key is not RSA/],
      ['nothing', '', /there is no private key in PEM/],
    ]
  for (const [what, content, says] of rows)
    it(`is ${says ? 'refused with a remedy' : 'read'}: ${what}`, async () => {
      const certificateFile = join(freshFolder(), 'certificate.pem')
      writeFileSync(certificateFile, content)
      const credential = clientCertificateFiles({ certificateFile })
      const token = tokenSourceIn(new VirtualRuntime(grant('t1')), { credential }).token()
      if (says === null) return assert.equal(await token, 't1')
      await assert.rejects(token, (error: unknown) => {
        assert.match(`${error}`, says)
        assert.doesNotMatch(`${error}`, /error:|routines|exists/)
        return true
      })
    })
})

describe('a text file from Windows', () => {
  for (const [what, make, read] of [
    ['a secret', clientSecretFile, 'client_secret'],
    ['an assertion', federatedAssertionFile, 'client_assertion'],
  ] as const)
    it(`returns ${what} without its byte order mark, and reports UTF-16`, async () => {
      const path = join(freshFolder(), 'file')
      const environment = new VirtualRuntime(grant('t1'))
      const source = tokenSourceIn(environment, { credential: make(path) })
      writeFileSync(path, mark('a.b.c\r\n'))
      await source.token()
      assert.deepEqual(sentIn(environment, read), ['a.b.c'])
      for (const bytes of [utf16('a.b.c'), bigEndian('a.b.c'), utf16('a.b.c').subarray(2)]) {
        writeFileSync(path, bytes)
        await assert.rejects(source.token({ force: true }), /is UTF-16, not UTF-8/)
      }
      writeFileSync(path, Buffer.from('gr\u00fc\u00df', 'latin1'))
      await assert.rejects(source.token({ force: true }), /is not UTF-8/)
    })
})

describe('a credential in a file', () => {
  it('requires a path', () => {
    assert.throws(() => clientSecretFile(''), TypeError)
    assert.throws(() => federatedAssertionFile(''), TypeError)
    assert.throws(() => clientCertificateFiles({} as never), /`certificateFile` is required/)
  })
})
