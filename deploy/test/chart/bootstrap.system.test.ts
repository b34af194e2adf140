import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
// The library below does not load without it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { forWebCrypto, repeatingRsaKeyPair } from '../../../test/fixtures/rsa-key-pair.ts'

const script = join(import.meta.dirname, '../../chart/files/bootstrap.mjs')

/** A service that listens at once, and writes the administrator's file when the store is empty. */
const fakeService = `
  import { writeFileSync } from 'node:fs'
  if (process.env.STORE === 'empty') writeFileSync(process.env.DATA_DIR + '/administrator.env', 'CLIENT_SECRET=example\\n')
  if (process.env.REGISTRATIONS) writeFileSync(process.env.DATA_DIR + '/seeded.json', '{"clients":"example"}')
  if (process.env.STORE === 'away') process.exit(1)
  process.on('SIGTERM', () => process.exit(0))
  console.log(JSON.stringify({ msg: 'listening' }))
  setInterval(() => {}, 1000)`

const keys = repeatingRsaKeyPair()
/** The certificate of the fake API of Kubernetes. Only the account of the job says that it is trusted. */
const certificate = await x509.X509CertificateGenerator.createSelfSigned({
  name: 'CN=localhost',
  keys: forWebCrypto(keys),
  notBefore: new Date('2026-01-01'),
  notAfter: new Date('2126-01-01'),
  signingAlgorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
})
const identity = {
  cert: certificate.toString('pem'),
  key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
}

type Sent = { readonly method: string; readonly url: string; readonly names: readonly string[] }

/** Runs the job with a fake API of Kubernetes, which answers with the statuses in turn. */
async function runJob(
  store: 'empty' | 'filled' | 'away',
  statuses: readonly number[],
  settings: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-bootstrap-'))
  const sent: Sent[] = []
  const api = createServer(identity, async (request, response) => {
    const text = (await request.toArray()).join('')
    const { stringData } = JSON.parse(text)
    assert.equal(request.headers.authorization, 'Bearer token of the job')
    sent.push({
      method: request.method ?? '',
      url: request.url ?? '',
      names: Object.keys(stringData),
    })
    response.writeHead(statuses[sent.length - 1] ?? 500).end('{}')
  }).listen(0, '127.0.0.1')
  try {
    await once(api, 'listening')
    writeFileSync(join(folder, 'main.mjs'), fakeService)
    writeFileSync(join(folder, 'token'), 'token of the job\n')
    writeFileSync(join(folder, 'namespace'), 'identity')
    writeFileSync(join(folder, 'ca.crt'), identity.cert)
    const address = api.address()
    assert.ok(address !== null && typeof address === 'object')
    const job = spawn(process.execPath, [script], {
      env: {
        ADMINISTRATOR_SECRET: 'greeting-administrator',
        CLIENTS_SECRET: 'greeting-clients',
        DATA_DIR: folder,
        MAIN: join(folder, 'main.mjs'),
        SERVICE_ACCOUNT: folder,
        KUBERNETES_API: `https://localhost:${address.port}`,
        PAUSE_MS: '1',
        STORE: store,
        DATABASE_URL: 'postgres://example',
        KEY_ENCRYPTION_KEY: 'example',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, errors, [code]] = await Promise.all([
      job.stdout.toArray(),
      job.stderr.toArray(),
      once(job, 'close'),
    ])
    return { code, output: [...out, ...errors].join(''), sent }
  } finally {
    api.close()
    rmSync(folder, { recursive: true })
  }
}

const secrets = '/api/v1/namespaces/identity/secrets'
const administrator = `${secrets}/greeting-administrator`
const rehearsal: Sent = { method: 'PUT', url: `${administrator}?dryRun=All`, names: [] }
const written: Sent = { method: 'PUT', url: administrator, names: ['administrator.env'] }
const clients: Sent = { method: 'PUT', url: `${secrets}/greeting-clients`, names: ['seeded.json'] }

describe('the job before an installation', () => {
  it('writes the administrator from the first start to its Secret', async () => {
    const { code, sent, output } = await runJob('empty', [200, 200])
    assert.deepEqual({ code, sent }, { code: 0, sent: [rehearsal, written] })
    assert.doesNotMatch(output, /example/)
  })

  it('writes the clients from the first start to separate Secrets', async () => {
    const registrations = { REGISTRATIONS: '/registrations/registrations.json' }
    const { code, sent } = await runJob('empty', [200, 200, 200], registrations)
    assert.deepEqual({ code, sent }, { code: 0, sent: [rehearsal, written, clients] })
  })

  it('retries a failed write', async () => {
    const { code, sent } = await runJob('empty', [200, 500, 200])
    assert.deepEqual({ code, sent }, { code: 0, sent: [rehearsal, written, written] })
  })

  it('exits with 1 and a remedy if the Secret cannot be written', async () => {
    const { code, output } = await runJob('empty', [200])
    assert.equal(code, 1)
    assert.match(output, /set identityProvider\.bootstrap\.newAdministrator=true/)
  })

  it('reports an existing administrator in the store, and writes nothing', async () => {
    const { code, sent, output } = await runJob('filled', [200])
    assert.deepEqual({ code, sent }, { code: 0, sent: [rehearsal] })
    assert.match(output, /the Secret greeting-administrator stays as it is/)
  })

  for (const status of [403, 404])
    it(`exits before the service starts if the Secret cannot be written: ${status}`, async () => {
      const { code, sent, output } = await runJob('empty', [status])
      assert.deepEqual({ code, sent }, { code: 1, sent: [rehearsal] })
      assert.match(output, new RegExp(`cannot write the Secret \\S+: status ${status}`))
    })

  it('exits before the service starts if a Secret has an empty value', async () => {
    const { code, sent, output } = await runJob('empty', [], { DATABASE_URL: '' })
    assert.deepEqual({ code, sent }, { code: 1, sent: [] })
    assert.equal(output, 'bootstrap: the Secret has an empty value for DATABASE_URL\n')
  })

  it('exits with 1 if the service cannot start', async () => {
    const { code, sent } = await runJob('away', [200])
    assert.deepEqual({ code, sent }, { code: 1, sent: [rehearsal] })
  })
})
