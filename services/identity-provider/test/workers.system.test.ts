import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { type ProviderProcess, startProvider } from './provider-process.ts'

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

  it('issues tokens with one administrator, one key and one limit of wrong credentials', async () => {
    const text = await readFile(join(dataDir, 'administrator.env'), 'utf8')
    const settings = Object.fromEntries(
      text
        .split('\n')
        .filter((line) => /^[A-Z_]+=/.test(line))
        .map((line) => line.split(/=(.*)/s).map((part) => part.replace(/^'|'$/g, ''))),
    )
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
    }
    assert.deepEqual(values, Array(4).fill(['1000000', '2', '6', '4']).flat())
    assert.equal((await fetch(`${provider.url}/metrics`)).status, 404, 'not at the public address')
  })

  it('ends with all workers, and with 0, on SIGTERM', async () => {
    assert.equal(await provider.end('SIGTERM'), 0)
    await assert.rejects(fetch(`${provider.url}/healthz`))
  })
})
