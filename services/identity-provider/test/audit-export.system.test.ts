import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { startCollector } from '../../../packages/tracing/test/otlp-collector.ts'
import { openLocalStorage } from '../../../test/fixtures/directory/local-storage.ts'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import {
  createAuthority,
  issueServerCertificate,
} from '../src/certificates/certificate-authority.ts'
import { startHere } from './provider-here.ts'
import { readSeeded, requestToken, startProvider } from './provider-process.ts'

const linesIn = async (file: string) =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('an identity provider with three log stores', () => {
  it('sends each record, with the members of the API, once to every log store, and stores no sign-in record', async () => {
    const dataDir = freshFolder()
    const file = join(dataDir, 'audit.jsonl')
    const socketPath = join(dataDir, 'audit.sock')
    let received = ''
    const reader = createServer((socket) => {
      socket.setEncoding('utf8').on('data', (text) => {
        received += text
      })
    }).listen(socketPath)
    await once(reader, 'listening')
    const collector = await startCollector()
    const provider = await startHere({
      DATA_DIR: dataDir,
      HTTPS_PORT: 'off',
      METRICS_PORT: '0',
      AUDIT_EXPORT: `file:${file},unix:${socketPath},otlp`,
      MAX_SIGN_IN_RECORDS: '0',
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`,
    })
    const { tenantId, clients } = await readSeeded(dataDir)
    const { applicationId, clientSecret } = clients[0]
    const granted = await fetch(`${provider.url}/${tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: applicationId,
        client_secret: clientSecret,
        scope: 'https://graph.microsoft.com/.default',
      }),
    })
    const { access_token } = await granted.json()
    assert.equal((await fetch(`${provider.url}/unknown/oauth2/v2.0/token`, post)).status, 400)
    const { status } = await fetch(`${provider.url}/v1.0/applications`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: '{"displayName":"not allowed"}',
    })
    assert.equal(status, 403)
    const metrics = await (await fetch(`${provider.metricsUrl}/metrics`)).text()
    for (const sink of [`file:${file}`, `unix:${socketPath}`, 'otlp'])
      assert.ok(metrics.includes(`greeting_audit_export_dropped_total{sink="${sink}"} 0`))
    await provider.stop()
    await collector.stop()
    reader.close()

    const lines = await linesIn(file)
    assert.deepEqual(
      lines.map(({ number }) => number),
      lines.map((_, index) => index + 1),
    )
    assert.equal(received, await readFile(file, 'utf8'))
    const { resourceLogs } = JSON.parse(collector.text().split('\n').at(-1) ?? '')
    assert.ok(resourceLogs[0].scopeLogs[0].logRecords.length > 0)
    for (const secret of [access_token, clientSecret])
      for (const text of [received, collector.text()]) assert.ok(!text.includes(secret))

    const storage = await openLocalStorage({ dataDir })
    const stored = async (log: 'directory' | 'signIns') =>
      (await storage.audit.find({ log, limit: 1000 })).records.map(({ id: _, ...record }) => ({
        ...record,
        at: record.at.toISOString(),
      }))
    const ofLanes = (...lanes: string[]) =>
      lines.flatMap(({ run: _, number: __, lane, ...record }) =>
        lanes.includes(lane) ? [record] : [],
      )
    const sorted = (records: readonly object[]) => records.map((one) => JSON.stringify(one)).sort()
    assert.deepEqual(
      sorted(ofLanes('changes', 'refusedChanges')),
      sorted(await stored('directory')),
    )
    assert.deepEqual(sorted(ofLanes('unauthenticated')), sorted(await stored('signIns')))
    assert.deepEqual(
      ofLanes('refusedChanges').map(({ actor, action }) => [actor, action]),
      [[applicationId, 'application.create']],
    )
    assert.deepEqual(
      ofLanes('signIns').map(({ action, outcome }) => [action, outcome]),
      [['token.issue', 'done']],
    )
    await storage.close()
  })

  for (const [who, trusted] of [
    ['sends to a reader over TLS whose certificate a trusted authority issued', true],
    ['sends nothing to a reader over TLS whose certificate no trusted authority issued', false],
  ] as const)
    it(who, async (t) => {
      const dataDir = freshFolder()
      const now = new Date()
      const authority = await createAuthority(['127.0.0.1'], now)
      const { certificate, key } = await issueServerCertificate(authority, ['127.0.0.1'], now)
      await writeFile(join(dataDir, 'authority.pem'), authority.certificate)
      let received = ''
      const reader = createTlsServer({ cert: certificate, key }, (socket) => {
        socket.on('error', () => undefined)
        socket.setEncoding('utf8').on('data', (text) => (received += text))
      })
      reader.on('tlsClientError', () => undefined).listen(0, '127.0.0.1')
      await once(reader, 'listening')
      t.after(() => reader.close())
      const provider = await startProvider({
        DATA_DIR: dataDir,
        HTTPS_PORT: 'off',
        METRICS_PORT: '0',
        AUDIT_EXPORT: `tls://127.0.0.1:${(reader.address() as AddressInfo).port}`,
        ...(trusted && { NODE_EXTRA_CA_CERTS: join(dataDir, 'authority.pem') }),
      })
      t.after(() => provider.end('SIGKILL'))
      assert.equal((await requestToken(provider.url, dataDir)).status, 200)
      const isRefused = async () =>
        /greeting_audit_export_failures_total\{sink="tls[^ ]+ [1-9]/.test(
          await (await fetch(`${provider.metricsUrl}/metrics`)).text(),
        )
      while (!(trusted ? received.includes('"token.issue"') : await isRefused())) await delay(20)
      assert.equal(received === '', !trusted)
    })

  it('issues tokens while log readers stop, hang or fail, and still stops in time', async () => {
    const dataDir = freshFolder()
    const hanging = createServer((socket) => socket.on('error', () => undefined).pause())
    hanging.listen(0, '127.0.0.1')
    await once(hanging, 'listening')
    const { port } = hanging.address() as AddressInfo
    const provider = await startHere({
      DATA_DIR: dataDir,
      HTTPS_PORT: 'off',
      METRICS_PORT: '0',
      AUDIT_EXPORT: `tls://127.0.0.1:${port},unix:${dataDir}/no.sock,file:${dataDir}/no/file,otlp`,
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `http://127.0.0.1:${port}/v1/logs`,
    })
    for (let count = 0; count < 20; count += 1)
      assert.equal((await requestToken(provider.url, dataDir)).status, 200)
    const failed = async () =>
      (await (await fetch(`${provider.metricsUrl}/metrics`)).text()).match(
        /greeting_audit_export_failures_total\{sink="(unix|file):[^ ]+ [1-9]/g,
      )?.length
    while ((await failed()) !== 2) await delay(20)
    await provider.stop()
    hanging.close()
  })
})

const post = { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) }
const blockBytes = 512

it("an identity provider issues tokens while the log's disk is full, and resumes the log when space is free", async (t) => {
  const dataDir = freshFolder()
  const seeding = await startHere({ DATA_DIR: dataDir, HTTPS_PORT: 'off' })
  await seeding.stop()
  const room = (await stat(join(dataDir, 'greeting.sqlite'))).size + 2_000_000
  const limit = Math.ceil(room / blockBytes)
  const file = join(dataDir, 'audit.jsonl')
  const left = 1000
  const filler = JSON.stringify({ filler: '' })
  const earlier = JSON.stringify({
    filler: 'x'.repeat(limit * blockBytes - left - filler.length - 1),
  })
  await writeFile(file, `${earlier}\n`)
  const provider = await startProvider(
    { DATA_DIR: dataDir, HTTPS_PORT: 'off', METRICS_PORT: '0', AUDIT_EXPORT: `file:${file}` },
    { within: ['sh', '-c', `ulimit -S -f ${limit} && exec "$@"`, 'sh'] },
  )
  t.after(() => provider.end('SIGKILL'))
  const metric = async (name: string) => {
    const text = await (await fetch(`${provider.metricsUrl}/metrics`)).text()
    return Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'm').exec(text)?.[1])
  }
  for (let count = 0; count < 20; count += 1)
    assert.equal((await requestToken(provider.url, dataDir)).status, 200)
  while ((await metric('greeting_audit_export_failures_total')) === 0) await delay(20)
  assert.ok((await metric('greeting_audit_export_queued')) > 0)
  await promisify(execFile)('prlimit', ['--pid', String(provider.pid), '--fsize=unlimited:'])
  while ((await metric('greeting_audit_export_queued')) > 0) await delay(20)
  assert.equal(await provider.end('SIGTERM'), 0)
  const lines = (await readFile(file, 'utf8')).split('\n').slice(1, -1)
  // A failed batch leaves a part of a line, and its whole lines arrive again.
  const records = lines.flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []))
  const arrived = new Map(records.map(({ number, action }) => [number, action]))
  assert.equal(arrived.size, Math.max(...arrived.keys()))
  assert.equal([...arrived.values()].filter((action) => action === 'token.issue').length, 20)
})
