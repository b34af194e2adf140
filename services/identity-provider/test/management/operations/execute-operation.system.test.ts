import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DirectoryStore, StorageUnavailableError } from '@greeting/directory/live'
import { delegatingLog } from '../../../../../test/fixtures/directory/delegating-log.ts'
import {
  MemoryDirectoryLog,
  type SavedLog,
} from '../../../../../test/fixtures/directory/memory-directory-log.ts'
import {
  allGraphRoles,
  contoso,
  type GraphClient,
  sampleGraph,
  sampleGraphOver,
} from '../sample-graph.ts'
import { canary, changesOnce, sampleWrites, writes } from '../sample-writes.ts'

/** A log that refuses commits on demand. */
class FlakyLog extends MemoryDirectoryLog {
  fault: Error | undefined

  override async commit(...commit: Parameters<MemoryDirectoryLog['commit']>) {
    if (this.fault !== undefined) throw this.fault
    return super.commit(...commit)
  }
}

type Sample = Awaited<ReturnType<typeof sampleWrites>>

/** The finished sample as bytes, made once, because it takes some 30 requests. */
let finished: Promise<{ readonly sample: Sample; readonly saved: SavedLog }> | undefined

async function finish() {
  const log = new MemoryDirectoryLog()
  const sample = await sampleWrites(new DirectoryStore({ log }))
  return { sample, saved: log.save() }
}

/** A copy of the finished sample, over a log that refuses commits on demand. */
async function withFlakyLog() {
  finished ??= finish()
  const { sample, saved } = await finished
  const log = new FlakyLog(saved)
  const over = sampleGraphOver({ store: new DirectoryStore({ log }) })
  const { appId } = sample.admin
  return { ...sample, ...over, admin: { ...sample.admin, ...over.actAs(contoso.id, appId) }, log }
}

/** A store that fails during the commit. */
describe('a change that the store refuses (FL21)', () => {
  it('is tested for every operation that changes the directory', () => {
    assert.deepEqual(
      Object.keys(writes).toSorted(),
      changesOnce.map(({ method, path }) => `${method} ${path}`).toSorted(),
    )
  })

  for (const [name, write] of Object.entries(writes)) {
    it(`is not stored and not recorded, and fails with its error: ${name}`, async () => {
      const sample = await withFlakyLog()
      const { log, store, reports } = sample
      const before = await log.changesAfter()
      const records = log.audit.length
      const lost = new StorageUnavailableError(`connection lost, ${canary}`)
      log.fault = lost
      const app = await write(sample)
      assert.equal(app.status, 503)
      assert.equal(app.body.error.code, 'ServiceUnavailable')
      assert.ok(!JSON.stringify(app.body).includes(canary))
      log.fault = new Error(`a failure without a name, ${canary}`)
      const failed = await write(sample)
      assert.equal(failed.status, 500)
      assert.equal(failed.body.error.message, 'The server failed. Its log has the reason.')
      assert.deepEqual(reports, [lost, log.fault], 'only the operator receives the reason')
      assert.deepEqual(await log.changesAfter(), before)
      assert.equal(log.audit.length, records)

      log.fault = undefined
      await store.refresh()
      assert.ok(
        (await write(sample)).status < 300,
        'the operation succeeds when the store accepts it',
      )
    })
  }

  it('causes a response with Retry-After', async () => {
    const { admin, api, log } = await withFlakyLog()
    log.fault = new StorageUnavailableError('gone')
    const { headers } = await admin.patch(`/applications/${api.id}`, {})
    assert.equal(headers.get('retry-after'), '1')
  })
})

describe('every change', () => {
  for (const [name, write] of Object.entries(writes)) {
    it(`is one transaction with its audit record, which contains no secret: ${name}`, async () => {
      const sample = await withFlakyLog()
      const { admin, log } = sample
      const secrets: string[] = []
      const before = log.audit.length
      const { revision } = (await log.changesAfter()).latest
      const { body } = await write(sample)
      if (body.secretText !== undefined && body.secretText !== null) secrets.push(body.secretText)
      const records = log.audit.slice(before)
      assert.equal((await log.changesAfter()).latest.revision, revision + records.length)
      for (const record of records) {
        assert.partialDeepStrictEqual(record, {
          actor: admin.appId,
          outcome: 'done',
          reason: null,
          tenantId: '11111111-2222-4333-8444-000000000001',
        })
        assert.match(
          record.action,
          /^(application|servicePrincipal|appRoleAssignment|deletedItem|oauth2PermissionGrant|policy)\.\w+$/,
        )
        assert.ok(record.target)
        assert.ok(record.correlationId)
      }
      for (const secret of secrets) assert.ok(!JSON.stringify(records).includes(secret))
    })
  }

  it('sends no query for an object that it creates', async () => {
    const log = new MemoryDirectoryLog()
    const asked: string[] = []
    const counting = delegatingLog(() => log, {
      changesAfter: (known, lookups = []) => {
        asked.push(...lookups.map(({ name }) => name))
        return log.changesAfter(known, lookups)
      },
    })
    const { admin } = await sampleWrites(new DirectoryStore({ log: counting }))
    await admin.post('/applications', { displayName: 'first' })
    asked.length = 0
    const { status } = await admin.post('/applications', { displayName: 'second' })
    assert.deepEqual([status, asked], [201, []])
  })

  it('is recorded with the reason if it is refused', async () => {
    const { clientWith, refusals } = await sampleGraph()
    const reader = await clientWith(['Application.Read.All'])
    await reader.get('/applications/not-a-guid')
    assert.equal(refusals.length, 0, 'reading leaves no record')
    const correlationId = crypto.randomUUID()
    const headers = { 'client-request-id': correlationId }
    const reply = await reader.post('/applications', { displayName: canary }, headers)
    assert.equal(reply.headers.get('client-request-id'), correlationId)
    assert.deepEqual(
      refusals.map(({ at: _at, ...rest }) => rest),
      [
        {
          tenantId: '11111111-2222-4333-8444-000000000001',
          actor: reader.appId,
          action: 'application.create',
          target: null,
          outcome: 'refused',
          reason: 'role_missing',
          correlationId,
        },
      ],
    )
  })
})

describe('an error response', () => {
  it('has the structure of Microsoft Graph errors, with the request IDs of the log', async () => {
    const { clientWith } = await sampleGraph()
    const reader = await clientWith(['Application.Read.All'])
    const { body, headers } = await reader.get('/applications/x')
    assert.deepEqual(body, {
      error: {
        code: 'Request_BadRequest',
        message: "Invalid object identifier 'x'.",
        innerError: {
          date: '2026-02-01T12:00:00',
          'request-id': headers.get('request-id'),
          'client-request-id': headers.get('request-id'),
        },
      },
    })
  })

  it('does not quote a secret that was sent in the wrong place', async () => {
    const { clientWith, log, refusals, reports } = await sampleGraph()
    const admin: GraphClient = await clientWith(allGraphRoles)
    const { body: api } = await admin.post('/applications', { displayName: 'API' })
    const path = `/applications/${api.id}`
    const replies = await Promise.all([
      admin.post(`${path}/addPassword`, { passwordCredential: { secretText: canary } }),
      admin.patch(path, { passwordCredentials: [{ secretText: canary }] }),
      admin.patch(path, { keyCredentials: [{ key: canary }] }),
      admin.patch(path, `{"displayName": "${canary}`),
      admin.get(path, undefined, { authorization: `Bearer ${canary}` }),
      admin.get(`${path}?access_token=${canary}`),
    ])
    for (const { status, body } of replies) {
      assert.ok(status >= 400 && status < 500)
      assert.ok(!JSON.stringify(body).includes(canary), JSON.stringify(body))
    }
    assert.ok(!JSON.stringify([log.audit, refusals, reports]).includes(canary))
  })

  it('states whether a cache may store it, and has no CORS headers, like every other response', async () => {
    const { app, clientWith, request } = await sampleGraph()
    const reader = await clientWith(['Application.Read.All'])
    for (const [{ headers }, cacheControl] of [
      [await reader.get('/applications'), 'no-cache'],
      [await reader.get('/nothing'), 'no-store'],
      [await request('GET', '/applications', undefined, {}), 'no-store'],
    ] as const) {
      assert.equal(headers.get('cache-control'), cacheControl)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
    const preflight = await app.request('/applications', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    assert.equal(preflight.status, 401)
    for (const [header] of preflight.headers) assert.ok(!header.startsWith('access-control-'))
  })
})
