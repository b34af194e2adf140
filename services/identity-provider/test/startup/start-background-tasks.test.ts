import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  AuditBuffer,
  type AuditRecord,
  type AuditTrail,
  type CredentialUses,
} from '@greeting/directory/audit'
import { AgreedTime } from '../../../../packages/directory/src/clock/agreed-time.ts'
import type { ServiceParts } from '../../src/startup/service-parts.ts'
import { startBackgroundTasks } from '../../src/startup/start-background-tasks.ts'

const wall = new Date('2032-01-01T00:00:00Z')
const agreed = new AgreedTime(new Date('2030-01-01T00:00:00Z'))
const nothing = async () => {}
const record: AuditRecord = {
  at: wall,
  tenantId: null,
  actor: 'client',
  action: 'token.issue',
  target: null,
  outcome: 'done',
  reason: null,
  correlationId: null,
}
const atRest = {
  settings: { DATABASE_URL: 'postgres://host/name', DELETED_ITEMS_RETENTION_DAYS: 30 },
  directory: { refresh: nothing, deletedBefore: async () => [] },
  keys: { refresh: nothing, tend: nothing },
  auditBuffer: { flush: nothing, isWaiting: false },
  reversals: { writeTo: nothing, isWaiting: false },
  environment: { runtime: { now: () => wall } },
  listeners: { renewCertificate: nothing },
  log: { error: (_: object, text: string) => assert.fail(text) },
}

/** Runs the tasks for an hour, and returns what they asked for. */
async function anHour(
  timers: { tick: (ms: number) => void },
  agreedTime: () => Promise<AgreedTime | undefined>,
): Promise<string[]> {
  const asked: string[] = []
  const work = {
    ...atRest,
    storage: {
      beat: async (time: Date) => void asked.push(`beat ${time.getFullYear()}`),
      tidy: async (now: Date, time?: AgreedTime) =>
        void asked.push(`tidy ${now.getFullYear()} ${time?.date.getFullYear()}`),
    },
    directory: {
      refresh: nothing,
      deletedBefore: async (time: Date) => {
        asked.push(`purge ${time.getFullYear()}`)
        return []
      },
    },
    clock: { agreedTime, compare: async () => void asked.push('compare') },
    listeners: { renewCertificate: async () => void asked.push('renew') },
  }
  await using stack = new AsyncDisposableStack()
  startBackgroundTasks(work as unknown as ServiceParts, nothing, stack)
  for (let passed = 0; passed < 3600; passed += 60) {
    timers.tick(60_000)
    await setImmediate()
  }
  return [...new Set(asked)].sort()
}

describe('the background tasks', () => {
  it('pass the agreed time to each irreversible step', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const asked = await anHour(test.mock.timers, async () => agreed)
    assert.deepEqual(asked, ['beat 2030', 'compare', 'purge 2029', 'renew', 'tidy 2032 2030'])
  })

  it('take no irreversible step until the time is agreed', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const asked = await anHour(test.mock.timers, async () => undefined)
    assert.deepEqual(asked, ['compare', 'tidy 2032 undefined'])
  })

  for (const [store, databaseUrl, reads, shortestMs] of [
    ['of a file', undefined, 0, 60_000],
    ['of a database', 'postgres://host/name', 80, 250],
  ] as const)
    it(`read the store ${store} ${reads} times in ten seconds when idle, with timers of at least ${shortestMs} ms`, async (test) => {
      test.mock.timers.enable({ apis: ['setTimeout'] })
      const timers = test.mock.method(globalThis, 'setTimeout')
      let asked = 0
      const read = async () => {
        asked += 1
      }
      const work = {
        ...atRest,
        settings: { DATABASE_URL: databaseUrl },
        storage: { beat: nothing },
        directory: { refresh: read },
        keys: { refresh: read },
        clock: { agreedTime: async () => undefined },
      }
      await using stack = new AsyncDisposableStack()
      startBackgroundTasks(work as unknown as ServiceParts, nothing, stack)
      for (let passedMs = 0; passedMs < 10_000; passedMs += 50) {
        test.mock.timers.tick(50)
        await setImmediate()
      }
      assert.equal(asked, reads)
      const lengths = timers.mock.calls.map((call) => call.arguments[1] ?? 0)
      assert.equal(Math.min(...lengths), shortestMs)
    })

  for (const [name, begin] of [
    ['record', (buffer: AuditBuffer) => buffer.record(record, 'signIns')],
    ['use', (buffer: AuditBuffer) => buffer.noteUse('credential', wall)],
  ] as const)
    it(`write a ${name} half a second later, retry while the store fails, and then stop`, async (test) => {
      test.mock.timers.enable({ apis: ['setTimeout'] })
      let [writes, isAway] = [0, true]
      const write = async () => {
        writes += 1
        if (isAway) throw new Error('away')
      }
      const auditBuffer = new AuditBuffer({
        audit: { append: write } as unknown as AuditTrail,
        uses: { record: write } as unknown as CredentialUses,
      })
      const log = { error: () => {}, info: () => {} }
      const settings = { DATABASE_URL: undefined }
      await using stack = new AsyncDisposableStack()
      const work = { ...atRest, settings, auditBuffer, log } as unknown as ServiceParts
      startBackgroundTasks(work, nothing, stack)
      const pass = async (ms: number) => {
        test.mock.timers.tick(ms)
        await setImmediate()
        return writes
      }
      assert.equal(await pass(5000), 0)
      begin(auditBuffer)
      assert.equal(await pass(499), 0)
      assert.equal(await pass(1), 1)
      isAway = false
      assert.equal(await pass(500), 2)
      assert.equal(await pass(5000), 2)
      isAway = true
      begin(auditBuffer)
      assert.equal(await pass(500), 3)
    })
})
