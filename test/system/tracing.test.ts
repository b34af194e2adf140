import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { clientSecret, createTokenSource, fetchWithToken } from '@greeting/client'
import { startCollector } from '../../packages/tracing/test/otlp-collector.ts'
import { advanceFile } from './advanced-guard-clock.ts'
import { folderOfClone, run, type System, startSystem } from './greeting-process.ts'

const advancedGuardClock = join(import.meta.dirname, 'advanced-guard-clock.ts')

describe('the traces of a system', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>
  const folder = folderOfClone()
  let system: System
  before(async () => {
    collector = await startCollector()
    system = await startSystem(join(folder, '.greeting'), {
      cwd: folder,
      env: { ...tracing(), LOG_LEVEL: 'debug', NODE_OPTIONS: `--import=${advancedGuardClock}` },
    })
  })
  after(async () => {
    await system?.stop()
    await collector.stop()
  })

  const tracing = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const greeting = (...args: string[]) =>
    run('greeting', args, { cwd: folder, env: { ...tracing(), TOKEN_CACHE_FILE: 'off' } })
  const logOf = (service: string) => readFile(join(system.logFolder, `${service}.log`), 'utf8')

  /** Revokes the keys that sign now and next. The key after them is one that the API does not know yet. */
  const revokeKnownKeys = async () => {
    const file = join(folder, '.greeting/administrator.env')
    const settings = parseEnv(await readFile(file, 'utf8'))
    const { AUTH_URL = '', TENANT_ID, CLIENT_ID = '', CLIENT_SECRET = '' } = settings
    const tokens = createTokenSource({
      authority: `${AUTH_URL}/${TENANT_ID}`,
      clientId: CLIENT_ID,
      credential: clientSecret(CLIENT_SECRET),
      scope: 'api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6/.default',
    })
    const call = fetchWithToken({ baseUrl: AUTH_URL, tokens })
    const { value } = await (await call('/management/keys')).json()
    assert.ok(value.length >= 2)
    for (const { kid } of value)
      assert.ok((await call(`/management/keys/${kid}/revoke`, { method: 'POST' })).ok)
  }

  it('connect a job, its token, its call and the key request', async () => {
    await revokeKnownKeys()
    await writeFile(join(folder, advanceFile), '')
    const { code, err } = await greeting('hi')
    assert.equal(code, 0, err)
    const names = [
      'greeting greeting hi',
      'greeting POST',
      'identity-provider POST /:tenant/oauth2/v2.0/token',
      'identity-provider sign token',
      'greeting GET',
      'greeting-api GET /api/v1/hi',
      'greeting-api GET',
      'identity-provider GET /:tenant/discovery/keys',
    ]
    const traceId = () => collector.spans.find(({ name }) => name === 'greeting hi')?.traceId
    const spans = () => collector.spans.filter((span) => span.traceId === traceId())
    await collector.until(() => spans().length >= names.length)
    assert.deepEqual(
      spans()
        .map(({ service, name }) => `${service} ${name}`)
        .toSorted(),
      names.toSorted(),
    )
    const attributesOf = (name: string) => spans().find((span) => span.name === name)?.attributes
    const issued = attributesOf('POST /:tenant/oauth2/v2.0/token')
    assert.equal(issued?.['greeting.outcome'], 'issued')
    assert.equal(issued?.['greeting.credential'], 'secret')
    assert.match(String(issued?.['greeting.correlation_id']), /^[0-9a-f-]{36}$/)
    assert.equal(attributesOf('GET /api/v1/hi')?.['greeting.decision'], 'admitted')
    assert.ok((await logOf('identity-provider')).includes(`"trace_id":"${traceId()}"`))
    assert.ok((await logOf('greeting-api')).includes(`"trace_id":"${traceId()}"`))
  })

  it('contain the reason for a refusal', async () => {
    const response = await fetch(`${system.api.url}/api/v1/hi?code=canary`, {
      headers: { authorization: 'Bearer canary.canary.canary' },
    })
    assert.equal(response.status, 401)
    const refused = () =>
      collector.spans.find(({ attributes }) => attributes['greeting.decision'] === 'refused')
    await collector.until(() => refused() !== undefined)
    assert.equal(refused()?.attributes['http.response.status_code'], 401)
    assert.match(String(refused()?.attributes['greeting.reason']), /^[a-z_]+$/)
  })

  it('contain no token, no secret and no query', async () => {
    const { out } = await greeting('token')
    const secret = parseEnv(await readFile(system.clientEnvFile, 'utf8')).CLIENT_SECRET ?? ''
    const seen = `${collector.text()}\n${await logOf('identity-provider')}\n${await logOf('greeting-api')}`
    for (const part of [secret, 'eyJ', 'canary', ...out.trim().split('.')])
      assert.ok(part.length > 0 && !seen.includes(part), 'a credential is in a trace or in a log')
  })

  it('do not affect a job if its collector is unavailable', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    const { code, out } = await run('greeting', ['hi'], { cwd: folder, env })
    assert.deepEqual([code, out], [0, 'Hi\n'])
  })

  it('are refused if a setting is invalid, and the error names the setting without its value', async () => {
    const env = { ...tracing(), OTEL_EXPORTER_OTLP_HEADERS: 'canary' }
    const { code, err } = await run('greeting', ['hi'], { cwd: folder, env })
    assert.equal(code, 2)
    assert.match(err, /OTEL_EXPORTER_OTLP_HEADERS is invalid; expected name=value pairs/)
    assert.ok(!err.includes('canary'))
  })
})
