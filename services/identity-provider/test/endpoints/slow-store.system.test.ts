import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
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

/** A service with the test's clock and a store that answers when the test lets it (FL18). */
async function slowService({ mock, signal }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  const monotonicNowMs = () => nowMs
  const pass = (ms: number) => {
    nowMs += ms
    mock.timers.tick(ms)
  }
  let waiting = 0
  let open = Promise.withResolvers<void>()
  open.resolve()
  const audited: AuditRecord[] = []
  const store = {
    hold: () => {
      open = Promise.withResolvers()
    },
    letGo: () => open.resolve(),
  }
  const slowly = async <Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> => {
    waiting += 1
    await open.promise
    waiting -= 1
    return answer()
  }
  const log = new MemoryDirectoryLog()
  const ring = new MemoryKeyRingStore()
  const directory = new DirectoryStore({
    maxAgeMs,
    patienceMs,
    monotonicNowMs,
    log: delegatingLog(() => log, {
      latest: () => slowly(() => log.latest()),
      changesAfter: (...known) => slowly(() => log.changesAfter(...known)),
      commit: (...commit) => slowly(() => log.commit(...commit)),
    }),
  })
  const keys = await SigningKeys.open({
    maxAgeMs,
    patienceMs,
    monotonicNowMs,
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
      append: (_, records) => slowly(() => void audited.push(...records)),
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
  /** Lets time pass while calls wait for the store, until a request is answered. */
  const answerOf = async (answer: Response | Promise<Response>): Promise<Response> => {
    let isThere = false
    const answered = Promise.resolve(answer).finally(() => {
      isThere = true
    })
    while (!isThere) {
      signal.throwIfAborted()
      if (waiting > 0) pass(patienceMs)
      await setImmediate()
    }
    return answered
  }
  return { store, audited, notes, directory, request, pass, answerOf, app: service.app }
}

describe('a store that is slow (FL18)', { timeout: 60_000 }, () => {
  it('delays tokens of known clients while it responds in time', async (test) => {
    const { store, request, pass } = await slowService(test)
    assert.equal((await request()).status, 200, 'the client is in memory')
    for (let count = 0; count < 3; count += 1) {
      pass(maxAgeMs + 1)
      store.hold()
      const answer = request()
      await setImmediate()
      pass(patienceMs - 1)
      store.letGo()
      assert.equal((await answer).status, 200)
    }
  })

  it('causes 503 with Retry-After, and 200 once it is fast again', async (test) => {
    const { store, request, app, answerOf } = await slowService(test)
    store.hold()
    const requests = Array.from({ length: 5 }, request)
    for (const answer of requests.map(answerOf)) {
      const { status, headers } = await answer
      assert.equal(status, 503)
      assert.equal(headers.get('retry-after'), '1')
    }
    assert.equal((await answerOf(app.request('http://login.test/readyz'))).status, 503)
    store.letGo()
    assert.equal((await request()).status, 200)
  })

  it('delays signing no longer than reading', async (test) => {
    const { store, request, directory, pass, answerOf } = await slowService(test)
    assert.equal((await request()).status, 200, 'the client is in memory')
    pass(maxAgeMs + 1)
    await directory.refresh()
    store.hold()
    assert.equal((await answerOf(request())).status, 503)
  })

  it('loses no record of tokens and refusals during that time', async (test) => {
    const { store, audited, notes, request, pass, answerOf } = await slowService(test)
    const statuses = [(await request()).status]
    pass(maxAgeMs + 1)
    store.hold()
    const flushing = notes.flush()
    const requests = Array.from({ length: 3 }, request)
    for (const answer of requests.map(answerOf)) statuses.push((await answer).status)
    store.letGo()
    await flushing
    statuses.push((await request()).status)
    await notes.flush()
    assert.deepEqual(statuses, [200, 503, 503, 503, 200])
    assert.deepEqual(
      audited.map(({ outcome }) => outcome),
      statuses.map((status) => (status === 200 ? 'done' : 'refused')),
    )
  })
})
