import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { LocalCertificates } from '../../src/certificates/local-certificates.ts'

const names = ['localhost', '127.0.0.1', '::1', 'login.contoso.example']
const day = 86_400_000
const start = new Date()

async function openFolder(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-certificates-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const open = (options: { names?: readonly string[]; daysLater?: number } = {}) =>
    LocalCertificates.open({
      folder,
      names: options.names ?? names,
      now: () => new Date(start.getTime() + (options.daysLater ?? 0) * day),
    })
  return { folder, open }
}

describe('local certificates', () => {
  it('are an authority that may sign servers only, and a server that it signed', async (t) => {
    const { open } = await openFolder(t)
    const certificates = await open()
    const authority = new X509Certificate(await readFile(certificates.authorityFile))
    const server = new X509Certificate(certificates.server.certificate)
    assert.equal(authority.ca, true)
    assert.equal(server.ca, false)
    assert.equal(server.checkIssued(authority), true)
    assert.equal(server.verify(authority.publicKey), true)
    assert.deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1'])
    for (const name of ['localhost', 'login.contoso.example']) assert.ok(server.checkHost(name))
    for (const address of ['127.0.0.1', '::1']) assert.ok(server.checkIP(address))
    assert.equal(server.checkHost('login.fabrikam.example'), undefined)
  })

  it('are kept for their owner alone', async (t) => {
    const { folder, open } = await openFolder(t)
    await open()
    const files = (await readdir(folder)).sort()
    assert.deepEqual(files, ['authority.key', 'authority.pem', 'server.key', 'server.pem'])
    for (const file of files) {
      assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file)
    }
  })

  it('are believed by a client that trusts the authority, and by no other', async (t) => {
    const { open } = await openFolder(t)
    const certificates = await open()
    const { certificate: cert, key } = certificates.server
    const server = createServer({ cert, key }, (_, response) => response.end('hello')).listen(0)
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const ask = async (ca: string | undefined) => {
      const asked = request({ host: 'localhost', port, ca, agent: false }).end()
      const [response] = await once(asked, 'response')
      response.resume()
      return response.statusCode
    }
    assert.equal(await ask(await readFile(certificates.authorityFile, 'utf8')), 200)
    await assert.rejects(ask(undefined), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  })

  const openings = [
    { when: 'it is opened again', options: {}, isNew: false },
    { when: 'it has more than 30 days to live', options: { daysLater: 59 }, isNew: false },
    { when: 'it has less than 30 days to live', options: { daysLater: 61 }, isNew: true },
    { when: 'it has ended', options: { daysLater: 91 }, isNew: true },
    {
      when: 'a name is asked for that it lacks',
      options: { names: ['other.example'] },
      isNew: true,
    },
  ]
  for (const { when, options, isNew } of openings) {
    it(`${isNew ? 'make a new' : 'keep the'} server certificate when ${when}`, async (t) => {
      const { open } = await openFolder(t)
      const before = await open()
      const authority = await readFile(before.authorityFile, 'utf8')
      const after = await open(options)
      assert.equal(after.server.certificate !== before.server.certificate, isNew)
      assert.equal(await readFile(after.authorityFile, 'utf8'), authority)
    })
  }

  it('are renewed while they are in use', async (t) => {
    const { folder } = await openFolder(t)
    let now = start
    const certificates = await LocalCertificates.open({ folder, names, now: () => now })
    const { server } = certificates
    assert.equal(await certificates.renew(), false)
    assert.equal(certificates.server.certificate, server.certificate)
    now = new Date(start.getTime() + 61 * day)
    assert.equal(await certificates.renew(), true)
    assert.notEqual(certificates.server.certificate, server.certificate)
  })

  const repaired = [
    { file: 'server.pem', text: 'no certificate' },
    { file: 'server.key', text: '' },
  ]
  for (const { file, text } of repaired) {
    it(`make a damaged ${file} again`, async (t) => {
      const { folder, open } = await openFolder(t)
      await open()
      await writeFile(join(folder, file), text)
      const { server } = await open()
      assert.ok(new X509Certificate(server.certificate).checkHost('localhost'))
    })
  }

  it('begin anew after a crash before anybody could trust the authority', async (t) => {
    const { folder, open } = await openFolder(t)
    await open()
    await rm(join(folder, 'authority.pem'))
    await open()
    assert.ok(await stat(join(folder, 'authority.pem')))
  })

  const refused = [
    {
      fault: 'its key is missing',
      harm: (folder: string) => rm(join(folder, 'authority.key')),
      says: /authority's key .* is missing: restore it/,
    },
    {
      fault: 'its key may be read by others',
      harm: (folder: string) => chmod(join(folder, 'authority.key'), 0o644),
      says: /may be read by others than its owner: run chmod 600/,
    },
    {
      fault: 'its certificate is damaged',
      harm: (folder: string) => writeFile(join(folder, 'authority.pem'), 'no certificate'),
      says: /is damaged: restore its files/,
    },
    {
      fault: 'its key is damaged',
      harm: async (folder: string) => {
        await rm(join(folder, 'server.pem'))
        await writeFile(join(folder, 'authority.key'), 'no key')
      },
      says: /is damaged: restore its files/,
    },
  ]
  for (const { fault, harm, says } of refused) {
    it(`refuse the authority, and overwrite nothing of it, when ${fault}`, async (t) => {
      const { folder, open } = await openFolder(t)
      await open()
      await harm(folder)
      const authorityFiles = () =>
        Promise.all(
          ['authority.pem', 'authority.key'].map((file) =>
            readFile(join(folder, file), 'utf8').catch(() => undefined),
          ),
        )
      const before = await authorityFiles()
      await assert.rejects(open(), { code: 'CERTIFICATES_UNUSABLE', message: says })
      assert.deepEqual(await authorityFiles(), before)
    })
  }
})
