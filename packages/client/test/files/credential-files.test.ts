import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import {
  clientCertificateFiles,
  clientSecretFile,
  federatedAssertionFile,
} from '../../src/files/index.ts'
import { createCertifiedKey } from '../fakes/certified-key.ts'
import { tokenSourceIn } from '../fakes/token-source-in.ts'
import { type Answer, grant, refusal, VirtualRuntime } from '../fakes/virtual-runtime.ts'

function folderOf(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-client-'))
  test.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const sentIn = (environment: VirtualRuntime, name: string) =>
  environment.sent.map(({ form }) => form.get(name))

describe('a secret in a file', () => {
  it('is read again before every request', async (test) => {
    const path = join(folderOf(test), 'secret')
    const environment = new VirtualRuntime(grant('t1'))
    const source = tokenSourceIn(environment, { credential: clientSecretFile(path) })
    writeFileSync(path, 'first\n')
    await source.token()
    writeFileSync(path, 'second\r\n')
    await source.token({ force: true })
    assert.deepEqual(sentIn(environment, 'client_secret'), ['first', 'second'])
  })

  it('that changes during a refusal is used at once', async (test) => {
    const path = join(folderOf(test), 'secret')
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

  it('that cannot be read is an error with its path', async (test) => {
    const folder = folderOf(test)
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
  it('is read again before every request', async (test) => {
    const path = join(folderOf(test), 'token')
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
  it('is read again before every request, in one file or two', async (test) => {
    const folder = folderOf(test)
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

  it('is not used with the key of another', async (test) => {
    const certificateFile = join(folderOf(test), 'certificate.pem')
    const [first, second] = [await createCertifiedKey(), await createCertifiedKey()]
    writeFileSync(certificateFile, first.certificate + second.privateKey)
    const credential = clientCertificateFiles({ certificateFile })
    await assert.rejects(tokenSourceIn(new VirtualRuntime(grant('t1')), { credential }).token(), {
      code: 'credential_unreadable',
      message: /the private key does not belong to the certificate/,
    })
  })
})

describe('a credential in a file', () => {
  it('has a path', () => {
    assert.throws(() => clientSecretFile(''), TypeError)
    assert.throws(() => federatedAssertionFile(''), TypeError)
    assert.throws(() => clientCertificateFiles({} as never), /`certificateFile` is required/)
  })
})
