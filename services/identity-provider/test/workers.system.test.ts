import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type ProviderProcess, startProvider } from './provider-process.ts'

/** The tenant of the registrations file. */
const sampleTenantId = '8d3a6f0e-4c1b-4f5e-9a57-2f6d1c0b7e94'

describe('an identity provider with two workers', () => {
  let dataDir: string
  let provider: ProviderProcess
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'greeting-workers-'))
    provider = await startProvider({
      DATA_DIR: dataDir,
      WORKERS: '2',
      HTTPS_PORT: 'off',
      METRICS_PORT: '0',
      NEW_ADMINISTRATOR: 'yes',
      WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE: '4',
      MAX_TENANT_OBJECTS: '100',
      METRICS_TENANT_IDS: sampleTenantId,
    })
  })
  after(() => rm(dataDir, { recursive: true }))

  const requestToken = (secret: string, settings: Record<string, string>) =>
    fetch(`${provider.url}/${settings.TENANT_ID}/oauth2/v2.0/token`, {
      method: 'POST',
      // A new connection each time, so that the workers take turns.
      headers: { connection: 'close' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: settings.CLIENT_ID ?? '',
        client_secret: secret,
        scope: 'https://graph.microsoft.com/.default',
      }),
    })

  const readAdministrator = async () => {
    const text = await readFile(join(dataDir, 'administrator.env'), 'utf8')
    return Object.fromEntries(
      text
        .split('\n')
        .filter((line) => /^[A-Z_]+=/.test(line))
        .map((line) => line.split(/=(.*)/s).map((part) => part.replace(/^'|'$/g, ''))),
    )
  }

  it('issues tokens with one administrator, one key and one limit of wrong credentials', async () => {
    const settings = await readAdministrator()
    const kids = new Set<string>()
    for (let request = 0; request < 6; request += 1) {
      const response = await requestToken(settings.CLIENT_SECRET, settings)
      assert.equal(response.status, 200)
      const [header = ''] = (await response.json()).access_token.split('.')
      kids.add(JSON.parse(Buffer.from(header, 'base64url').toString()).kid)
    }
    assert.equal(kids.size, 1)

    const statuses: number[] = []
    for (let request = 0; request < 8; request += 1) {
      statuses.push((await requestToken('wrong', settings)).status)
    }
    assert.equal(statuses.filter((status) => status === 401).length, 4)
    assert.equal(statuses.filter((status) => status === 429).length, 4)
  })

  it('creates one administrator when `NEW_ADMINISTRATOR` is `yes`', () => {
    const database = new DatabaseSync(join(dataDir, 'greeting.sqlite'), { readOnly: true })
    const { count } = database
      .prepare(
        "select count(*) as count from directory_audit where action = 'administrator.create'",
      )
      .get() as { count: number }
    database.close()
    assert.equal(count, 1)
  })

  it('has one quota of objects', async () => {
    const settings = await readAdministrator()
    const response = await requestToken(settings.CLIENT_SECRET, settings)
    const { access_token } = await response.json()
    const requests = Array.from({ length: 20 }, (_, id) => ({
      id: `${id}`,
      method: 'POST',
      url: '/applications',
      headers: { 'content-type': 'application/json' },
      body: { displayName: `${id}` },
    }))
    const batches = Array.from({ length: 6 }, async () => {
      const answer = await fetch(`${provider.url}/v1.0/$batch`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${access_token}`,
          'content-type': 'application/json',
          connection: 'close',
        },
        body: JSON.stringify({ requests }),
      })
      const { responses } = await answer.json()
      return responses.map(({ status }: { status: number }) => status)
    })
    const statuses: number[] = (await Promise.all(batches)).flat()
    const database = new DatabaseSync(join(dataDir, 'greeting.sqlite'), { readOnly: true })
    const [kept, refused] = [
      `select sum(n) as n from (select count(*) as n from application where tenant_id = ?1
         union all select count(*) from service_principal where tenant_id = ?1)`,
      "select count(*) as n from directory_audit where reason = 'quota_exceeded' and tenant_id = ?1",
    ].map((query) => () => database.prepare(query).get(sampleTenantId)?.n)
    assert.equal(kept?.(), 100)
    const count = statuses.filter((status) => status === 403).length
    assert.equal(statuses.filter((status) => status === 201).length + count, 120)
    while (refused?.() !== count) await setTimeout(50)
    database.close()
  })

  it('has one set of metrics', async () => {
    const values: (string | undefined)[] = []
    for (let request = 0; request < 4; request += 1) {
      const url = `${provider.metricsUrl}/metrics`
      const response = await fetch(url, { headers: { connection: 'close' } })
      const text = await response.text()
      values.push(/^greeting_storage_used_assertions_max (\d+)$/m.exec(text)?.[1])
      values.push(/^greeting_workers (\d+)$/m.exec(text)?.[1])
      values.push(/^greeting_token_requests_total\{outcome="issued".*\} (\d+)$/m.exec(text)?.[1])
      values.push(/^greeting_token_requests_throttled_total (\d+)$/m.exec(text)?.[1])
      values.push(/^greeting_tenant_objects_max (\d+)$/m.exec(text)?.[1])
      values.push(/^greeting_tenant_token_.*outcome="issued"\} (\d+)$/m.exec(text)?.[1])
    }
    assert.deepEqual(values, Array(4).fill(['1000000', '2', '7', '4', '100', '7']).flat())
    assert.equal((await fetch(`${provider.url}/metrics`)).status, 404, 'not at the public address')
  })

  it('ends with all workers, and with 0, on SIGTERM', async () => {
    assert.equal(await provider.end('SIGTERM'), 0)
    await assert.rejects(fetch(`${provider.url}/healthz`))
  })
})
