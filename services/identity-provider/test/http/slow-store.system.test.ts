import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { AuditBuffer, type AuditRecord } from '@greeting/directory/audit'
import { DirectoryStore } from '@greeting/directory/live'
import { beginning } from '../../../../packages/directory/src/live/commit.ts'
import { agreedNow } from '../../../../test/fixtures/directory/agreed-now.ts'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { MemoryKeyRingStore } from '../../../../test/fixtures/directory/memory-key-ring-store.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { SigningKeys } from '../../src/signing/signing-keys.ts'
import { fixtureSigningKey } from '../signing/fixture-signing-key.ts'
import { tenantId, testService } from './test-service.ts'

const maxAgeMs = 40
const patienceMs = 200
const longestAnswerMs = 900

/** A service with a store whose calls take as long as the test sets (FL18). */
async function slowService() {
  const store = { takesMs: 0, audit: [] as AuditRecord[] }
  const slowly = async <Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> => {
    if (store.takesMs > 0) await setTimeout(store.takesMs)
    return answer()
  }
  const log = new MemoryDirectoryLog()
  const ring = new MemoryKeyRingStore()
  const directory = new DirectoryStore({
    maxAgeMs,
    patienceMs,
    log: delegatingLog(() => log, {
      latest: () => slowly(() => log.latest()),
      changesAfter: (...known) => slowly(() => log.changesAfter(...known)),
      commit: (...commit) => slowly(() => log.commit(...commit)),
    }),
  })
  const keys = await SigningKeys.open({
    maxAgeMs,
    patienceMs,
    keyEncryptionKey: KeyEncryptionKey.generate(),
    agreedTime: agreedNow(),
    schedule: { longestTokenSeconds: 3600 },
    generate: fixtureSigningKey,
    store: {
      read: (known) => slowly(() => ring.read(known)),
      commit: (...commit) => slowly(() => ring.commit(...commit)),
    },
  })
  const notes = new AuditBuffer({
    audit: {
      append: (_, records) => slowly(() => void store.audit.push(...records)),
      find: () => Promise.reject(new TypeError('never asked')),
      countHours: () => Promise.reject(new TypeError('never asked')),
      forgetOld: () => Promise.reject(new TypeError('never asked')),
      forgetBeyond: () => Promise.reject(new TypeError('never asked')),
    },
    uses: { record: () => slowly(() => undefined), lastUses: async () => new Map() },
  })
  const first = await testService()
  const known = await wholeDirectory(first.store)
  await log.commit(
    beginning,
    'first',
    [
      ...[...known.tenants()].map((value) => ({ kind: 'tenant' as const, id: value.id, value })),
      ...[...known.applicationsOf(tenantId)].map((value) => ({
        kind: 'application' as const,
        id: value.id,
        value,
      })),
      ...[...known.servicePrincipalsOf(tenantId)].map((value) => ({
        kind: 'servicePrincipal' as const,
        id: value.id,
        value,
      })),
    ],
    [],
  )
  const service = await testService({
    directory,
    keys: {
      sign: (claims, keyMembers) => keys.sign(claims, keyMembers),
      published: () => keys.published(),
    },
    audit: notes.record,
    noteUse: notes.noteUse,
  })
  const request = () => service.token({ ...service.form(), client_secret: first.secret })
  return { store, notes, keys, directory, request, app: service.app }
}

/** A token request, and its duration. */
async function timed(request: () => Promise<Response>) {
  const startedAt = performance.now()
  const response = await request()
  return { response, tookMs: performance.now() - startedAt }
}

describe('a store that is slow (FL18)', () => {
  it('delays the tokens of known clients while it responds in time', async () => {
    const { store, request } = await slowService()
    assert.equal((await request()).status, 200, 'the client is in memory')
    store.takesMs = 2 * maxAgeMs
    for (let count = 0; count < 3; count += 1) {
      const { response } = await timed(request)
      assert.equal(response.status, 200)
      await setTimeout(maxAgeMs)
    }
  })

  it('causes 503 with Retry-After, and 200 when it is fast again', async () => {
    const { store, request, app } = await slowService()
    store.takesMs = longestAnswerMs + 100
    await setTimeout(maxAgeMs + 1)
    const answers = await Promise.all(Array.from({ length: 5 }, () => timed(request)))
    for (const { response, tookMs } of answers) {
      assert.equal(response.status, 503)
      assert.equal(response.headers.get('retry-after'), '1')
      assert.ok(tookMs < longestAnswerMs, `${tookMs} ms`)
    }
    assert.equal((await app.request('http://login.test/readyz')).status, 503)
    store.takesMs = 0
    while ((await request()).status !== 200) await setTimeout(10)
  })

  it('delays signing no longer than reading', async () => {
    const { store, request, directory } = await slowService()
    await setTimeout(maxAgeMs + 1)
    store.takesMs = 0
    await directory.refresh()
    store.takesMs = longestAnswerMs + 100
    const { response, tookMs } = await timed(request)
    assert.equal(response.status, 503)
    assert.ok(tookMs < longestAnswerMs, `${tookMs} ms`)
  })

  it('loses no record of the tokens and refusals of that time', async () => {
    const { store, notes, request } = await slowService()
    const outcomes: string[] = []
    const ask = async () => outcomes.push((await request()).status === 200 ? 'done' : 'refused')
    await ask()
    store.takesMs = 2 * patienceMs
    const flushing = notes.flush()
    await setTimeout(maxAgeMs + 1)
    await Promise.all([ask(), ask(), ask()])
    await flushing
    store.takesMs = 0
    await setTimeout(2 * patienceMs)
    await ask()
    await notes.flush()
    assert.deepEqual(
      store.audit.map(({ outcome }) => outcome),
      outcomes,
    )
    assert.deepEqual(outcomes, ['done', 'refused', 'refused', 'refused', 'done'])
  })
})
