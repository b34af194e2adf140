import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import { client, server } from '../../../test/fixtures/tls-identities.ts'
import { readTlsFiles, TlsFilesError } from '../src/secure-listener.ts'

const folder = freshFolder()
before(async () => {
  const files = { 'cert.pem': server.cert, 'key.pem': server.key, 'other.key': client.key }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await writeFile(join(folder, 'marked.pem'), `\ufeff${server.cert}`)
  await writeFile(join(folder, 'marked.key'), `\ufeff${server.key}`)
  await writeFile(join(folder, 'wide.pem'), Buffer.from(`\ufeff${server.cert}`, 'utf16le'))
  await writeFile(join(folder, 'large.pem'), 'x'.repeat(256 * 1024 + 1))
})

const read = (certificate: string, key: string) =>
  readTlsFiles(join(folder, certificate), join(folder, key))

describe('the TLS files', () => {
  it('contain a certificate and its key', async () => {
    assert.deepEqual(await read('cert.pem', 'key.pem'), {
      certificate: server.cert,
      key: server.key,
    })
  })

  it('may have a byte order mark', async () => {
    assert.ok(await read('marked.pem', 'marked.key'))
  })

  const rows: [string, string, string, RegExp][] = [
    [
      'UTF-16',
      'wide.pem',
      'key.pem',
      /^HTTPS_CERTIFICATE_FILE .*cannot be read as PEM \(UTF-16\)$/,
    ],
    [
      'absent',
      'no.pem',
      'no.key',
      /^HTTPS_CERTIFICATE_FILE .*\(ENOENT\); HTTPS_KEY_FILE .*\(ENOENT\)$/,
    ],
    ['swapped', 'key.pem', 'cert.pem', /HTTPS_CERTIFICATE_FILE .*HTTPS_KEY_FILE/],
    ['of different pairs', 'cert.pem', 'other.key', /^HTTPS_KEY_FILE is not the key of HTTPS_CERT/],
    ['too large', 'large.pem', 'key.pem', /^HTTPS_CERTIFICATE_FILE .*cannot be read as PEM$/],
  ]
  for (const [what, certificate, key, message] of rows)
    it(`are refused if they are ${what}, with all errors and without the key`, async () => {
      await assert.rejects(read(certificate, key), (error) => {
        assert.ok(error instanceof TlsFilesError)
        assert.equal(error.code, 'tls_files_unusable')
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /BEGIN|MIG/)
        return true
      })
    })
})
