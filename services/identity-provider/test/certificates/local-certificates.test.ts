import assert from 'node:assert/strict'
import { createPrivateKey, KeyObject, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { connect } from 'node:tls'
import { listenSecurely } from '@greeting/http-service'
// The library below does not load without it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { issueServerCertificate } from '../../src/certificates/certificate-authority.ts'
import type { Identity } from '../../src/certificates/certificate-checks.ts'
import { LocalCertificates } from '../../src/certificates/local-certificates.ts'

const names = ['localhost', '127.0.0.1', '::1', 'login.contoso.example']
const day = 86_400_000
const start = new Date()

async function openFolder() {
  const folder = freshFolder()
  const open = async (
    options: { names?: readonly string[]; daysLater?: number; isRenewed?: boolean } = {},
  ) => {
    const reasons: string[] = []
    const certificates = await LocalCertificates.open({
      folder,
      names: options.names ?? names,
      now: () => new Date(start.getTime() + (options.daysLater ?? 0) * day),
      onAuthorityReplaced: (reason) => reasons.push(reason),
    })
    if (options.isRenewed) await certificates.renew()
    const { authorityFile, server } = certificates
    return { authorityFile, server, reasons }
  }
  return { folder, open }
}

describe('local certificates (AS48)', () => {
  it('consist of an authority for server certificates only, and a server certificate', async () => {
    const { open } = await openFolder()
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

  it('include a second server certificate for clients that send a host name', async () => {
    const { open } = await openFolder()
    const { certificate } = (await open()).server
    const [first = '', second = '', ...more] = certificate.split(/(?<=-----END CERTIFICATE-----\n)/)
    assert.deepEqual(more, [])
    const [mixed, named] = [first, second].map((pem) => new X509Certificate(pem))
    assert.match(mixed?.subjectAltName ?? '', /IP Address:127\.0\.0\.1/)
    // BoringSSL refuses an address below an authority with constraints for addresses.
    assert.equal(named?.subjectAltName, 'DNS:localhost, DNS:login.contoso.example')
    assert.ok(mixed && named?.publicKey.equals(mixed.publicKey))
  })

  it('differ for clients with and without a host name, even after a renewal', async (t) => {
    const { folder, open } = await openFolder()
    const before = await open()
    await rm(join(folder, 'server.pem'))
    const after = await open()
    const listener = await listenSecurely('127.0.0.1', 0, before.server)
    t.after(() => listener.stop())
    const shown = async (servername?: string) => {
      const socket = connect({
        port: Number(new URL(listener.url).port),
        host: '127.0.0.1',
        ca: await readFile(before.authorityFile),
        ...(servername && { servername }),
      })
      await once(socket, 'secureConnect')
      const { subjectaltname, fingerprint256, issuerCertificate } = socket.getPeerCertificate(true)
      socket.destroy()
      // The other server certificate is no part of the chain.
      assert.match(String(issuerCertificate.subject.CN), /authority/)
      return { subjectaltname, fingerprint256 }
    }
    const seen: string[] = []
    for (const { server } of [before, after]) {
      listener.setIdentity(server)
      const named = await shown('localhost')
      const unnamed = await shown()
      assert.equal(named.subjectaltname, 'DNS:localhost, DNS:login.contoso.example')
      assert.match(String(unnamed.subjectaltname), /IP Address:127\.0\.0\.1/)
      seen.push(named.fingerprint256, unnamed.fingerprint256)
    }
    assert.equal(new Set(seen).size, 4)
  })

  it('of an earlier release get a second server certificate from the same authority', async () => {
    const { folder, open } = await openFolder()
    const { server, authorityFile } = await open()
    const authority = await readFile(authorityFile, 'utf8')
    const [first = ''] = server.certificate.split(/(?<=-----END CERTIFICATE-----\n)/)
    await writeFile(join(folder, 'server.pem'), first)
    const { server: renewed, reasons } = await open()
    assert.equal(renewed.certificate.split('BEGIN CERTIFICATE').length, 3)
    assert.deepEqual(reasons, [])
    assert.equal(await readFile(authorityFile, 'utf8'), authority)
    assert.equal((await open()).server.certificate, renewed.certificate)
  })

  it('are readable by their owner only', async () => {
    const { folder, open } = await openFolder()
    await open()
    const files = (await readdir(folder)).sort()
    assert.deepEqual(files, ['authority.key', 'authority.pem', 'server.key', 'server.pem'])
    for (const file of files) {
      assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600, file)
    }
  })

  it('are accepted by a client that trusts the authority, and by no other client', async (t) => {
    const { open } = await openFolder()
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
    { when: 'they are opened again', options: {}, isNew: false },
    { when: 'it is valid for more than 30 days', options: { daysLater: 59 }, isNew: false },
    { when: 'it is valid for less than 30 days', options: { daysLater: 61 }, isNew: true },
    { when: 'it has expired', options: { daysLater: 91 }, isNew: true },
    { when: 'it was created by a clock that was ahead', options: { daysLater: -1 }, isNew: true },
    { when: 'a name is no longer configured', options: { names: ['localhost'] }, isNew: false },
  ]
  for (const { when, options, isNew } of openings) {
    it(`${isNew ? 'create a new' : 'keep the'} server certificate when ${when}`, async () => {
      const { open } = await openFolder()
      const before = await open()
      const authority = await readFile(before.authorityFile, 'utf8')
      const after = await open(options)
      assert.equal(after.server.certificate !== before.server.certificate, isNew)
      assert.equal(await readFile(after.authorityFile, 'utf8'), authority)
    })
  }

  /** An authority of an earlier release: without name constraints, valid for ten years. */
  async function unconstrainedAuthority(folder: string): Promise<Identity> {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=Greeting local certificate authority 00000000',
      keys,
      signingAlgorithm: algorithm,
      notBefore: new Date(start.getTime() - day),
      notAfter: new Date(start.getTime() + 3650 * day),
      extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
    })
    const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
    const authority = { certificate: certificate.toString('pem'), key }
    await write(folder, 'authority', authority)
    return authority
  }

  async function write(folder: string, name: string, { certificate, key }: Identity) {
    await writeFile(join(folder, `${name}.key`), key, { mode: 0o600 })
    await writeFile(join(folder, `${name}.pem`), certificate, { mode: 0o600 })
  }

  it('replace an authority without name constraints, and report it', async () => {
    const { folder, open } = await openFolder()
    const former = await unconstrainedAuthority(folder)
    await write(folder, 'server', await issueServerCertificate(former, names, start))
    const { authorityFile, reasons, server } = await open()
    const authority = new X509Certificate(await readFile(authorityFile))
    assert.ok(new X509Certificate(server.certificate).verify(authority.publicKey))
    assert.deepEqual(reasons, ['its name constraints were not the names of this server'])
    // Its key is deleted. Its certificate stays, so that users can distrust it.
    const before = await readFile(join(folder, 'authority.previous.pem'), 'utf8')
    assert.equal(before, former.certificate)
    assert.ok(
      authority.checkPrivateKey(createPrivateKey(await readFile(join(folder, 'authority.key')))),
    )
    const again = await open()
    assert.deepEqual(again.reasons, [])
    assert.equal(again.server.certificate, server.certificate)
  })

  const replacements = [
    {
      when: 'a configured name is outside its constraints',
      options: { names: [...names, 'other.example'] },
    },
    {
      when: 'it is valid for less than 30 days at a renewal',
      options: { daysLater: 702, isRenewed: true },
    },
    { when: 'it has expired at a renewal', options: { daysLater: 800, isRenewed: true } },
  ]
  for (const { when, options } of replacements) {
    it(`replace the authority when ${when}, and report it`, async () => {
      const { open } = await openFolder()
      const before = await readFile((await open()).authorityFile, 'utf8')
      const { authorityFile, reasons, server } = await open(options)
      const authority = new X509Certificate(await readFile(authorityFile))
      assert.notEqual(authority.toString(), before)
      assert.equal(reasons.length, 1)
      assert.ok(new X509Certificate(server.certificate).verify(authority.publicKey))
    })
  }

  for (const [when, options] of [
    ['while it is valid for 30 days', { daysLater: 699, isRenewed: true }],
    ['when the server starts with a clock that is far ahead', { daysLater: 800 }],
  ] as const) {
    it(`keep the authority ${when}`, async () => {
      const { open } = await openFolder()
      const before = await readFile((await open()).authorityFile, 'utf8')
      const { authorityFile, reasons } = await open(options)
      assert.equal(await readFile(authorityFile, 'utf8'), before)
      assert.deepEqual(reasons, [])
    })
  }

  it('are renewed while the server runs', async () => {
    const { folder } = await openFolder()
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
    it(`replace a damaged ${file}`, async () => {
      const { folder, open } = await openFolder()
      await open()
      await writeFile(join(folder, file), text)
      const { server } = await open()
      assert.ok(new X509Certificate(server.certificate).checkHost('localhost'))
    })
  }

  it('are created again after a crash before any client could trust the authority', async () => {
    const { folder, open } = await openFolder()
    await open()
    await rm(join(folder, 'authority.pem'))
    await open()
    assert.ok(await stat(join(folder, 'authority.pem')))
  })

  it('refuse an authority whose key file belongs to another user', async (t) => {
    const { folder, open } = await openFolder()
    await open()
    const { uid } = await stat(join(folder, 'authority.key'))
    t.mock.method(process as { geteuid: () => number }, 'geteuid', () => uid + 1)
    await assert.rejects(open(), {
      code: 'certificates_unusable',
      message:
        /the key .* of the certificate authority belongs to another user \(id \d+\): run chown/,
    })
  })

  const refused = [
    {
      fault: 'its key is missing',
      harm: (folder: string) => rm(join(folder, 'authority.key')),
      says: /the key .* of the certificate authority is missing: restore it/,
    },
    {
      fault: 'its key is accessible to other users',
      harm: (folder: string) => chmod(join(folder, 'authority.key'), 0o644),
      says: /is accessible to users other than its owner \(mode 644\): run chmod 600/,
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
    it(`refuse the authority, without overwriting it, when ${fault}`, async () => {
      const { folder, open } = await openFolder()
      await open()
      await harm(folder)
      const authorityFiles = () =>
        Promise.all(
          ['authority.pem', 'authority.key'].map((file) =>
            readFile(join(folder, file), 'utf8').catch(() => undefined),
          ),
        )
      const before = await authorityFiles()
      await assert.rejects(open(), { code: 'certificates_unusable', message: says })
      assert.deepEqual(await authorityFiles(), before)
    })
  }
})
