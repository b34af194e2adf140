import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { type Ended, run } from './greeting-process.ts'
import { type SharedSystem, sharedSystem } from './shared-system.ts'

describe("the identity provider's audit log", () => {
  let folder: string
  let provider: SharedSystem['identityProvider']
  let administrator: SharedSystem['administratorSettings']

  before(async () => {
    const system = await sharedSystem()
    folder = system.folder
    provider = system.identityProvider
    administrator = system.administratorSettings
  })

  const audit = (...args: string[]) => run('greeting', ['audit', ...args], { cwd: folder })

  /** Repeats a query until it finds a record: sign-ins are written in batches, twice a second. */
  async function foundBy(...args: string[]): Promise<Ended> {
    for (;;) {
      const ended = await audit(...args)
      if (ended.code !== 0 || !ended.out.startsWith('No matching records.')) return ended
    }
  }

  async function refusedRequest(): Promise<string> {
    const { CLIENT_ID = '', TENANT_ID = '' } = administrator
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'https://graph.microsoft.com/.default',
      client_id: CLIENT_ID,
      client_secret: 'canary~wrong',
    })
    const path = `${provider.url}/${TENANT_ID}/oauth2/v2.0/token`
    const response = await fetch(path, { method: 'POST', body: form })
    assert.equal(response.status, 401)
    return (await response.json()).correlation_id
  }

  it('shows a refused token request under the correlation ID in its response', async () => {
    const correlationId = await refusedRequest()
    const { code, out, err } = await foundBy('--correlation-id', correlationId)
    assert.equal(code, 0, err)
    const [, line = '', ...more] = out.trimEnd().split('\n')
    assert.deepEqual(more, [])
    assert.deepEqual(line.replace(/^\S+/, '').trim().split(/ {2,}/), [
      'refused',
      'token.issue',
      administrator.CLIENT_ID,
      'secret_wrong',
      correlationId,
    ])
    assert.doesNotMatch(out + err, /canary/)
    // Without options it is shown too, together with changes of the directory.
    const { out: all } = await audit()
    assert.match(all, new RegExp(`refused +token\\.issue .* ${correlationId}\n`))
    assert.match(all, /done +administrator\.create +system /)
  })

  it('is filtered by the options, and starts with the latest record', async () => {
    const filtered = await audit('--json', '--since', '1h', '--actor', 'system')
    const records = filtered.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.ok(records.length > 0 && records.every(({ actor }) => actor === 'system'))
    const times = records.map(({ at }) => at)
    assert.deepEqual(times, times.toSorted().reverse())
    const before = await audit('--until', '2020-01-01')
    assert.deepEqual(before, { code: 0, out: 'No matching records.\n', err: '' })
  })

  it('is read completely, page by page', async () => {
    const every = (await audit('--json')).out.trimEnd().split('\n')
    const { out, err } = await audit('--json', '--limit', String(every.length - 1))
    assert.equal(out.trimEnd().split('\n').length, every.length - 1)
    assert.match(err, /^There are earlier records/)
  })

  it('is refused to a client without the role, and the error names the role', async () => {
    const clients = [{ displayName: 'Job', secrets: [{ displayName: 'one' }] }]
    const file = join(folder, 'registrations.json')
    await writeFile(file, JSON.stringify({ apis: [], clients }))
    await run('greeting', ['registrations', 'apply', file], { cwd: folder })
    const settings = join(folder, '.greeting/secrets/job.env')
    await appendFile(settings, `GRAPH_URL=${provider.url}\n`)
    const { code, err } = await audit('--settings', settings)
    assert.equal(code, 4, err)
    assert.match(err, /it lacks the application role AuditLog\.Read\.All/)
  })
})
