import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AgreedTime } from '../../../../packages/directory/src/clock/agreed-time.ts'
import {
  type BackgroundWork,
  startBackgroundTasks,
} from '../../src/startup/start-background-tasks.ts'

const wall = new Date('2032-01-01T00:00:00Z')
const agreed = new AgreedTime(new Date('2030-01-01T00:00:00Z'))
const nothing = async () => {}

/** Runs the tasks for an hour, and returns what they asked for. */
async function anHour(
  timers: { tick: (ms: number) => void },
  agreedTime: () => Promise<AgreedTime | undefined>,
): Promise<string[]> {
  const asked: string[] = []
  const work = {
    hasDatabase: true,
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
    keys: { refresh: nothing, tend: nothing },
    auditBuffer: { flush: nothing },
    reversals: { writeTo: nothing },
    clock: { agreedTime, compare: async () => void asked.push('compare') },
    retentionDays: 30,
    renewCertificate: async () => void asked.push('renew'),
    reportCountedRefusals: nothing,
    runtime: { now: () => wall },
    log: { error: (_: object, text: string) => assert.fail(text) },
  }
  await using stack = new AsyncDisposableStack()
  startBackgroundTasks(work as unknown as BackgroundWork, stack)
  for (let passed = 0; passed < 3600; passed += 60) {
    timers.tick(60_000)
    await setImmediate()
  }
  return [...new Set(asked)].sort()
}

describe('the background tasks', () => {
  it('give the agreed time to each irreversible step', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const asked = await anHour(test.mock.timers, async () => agreed)
    assert.deepEqual(asked, ['beat 2030', 'compare', 'purge 2029', 'renew', 'tidy 2032 2030'])
  })

  it('take no irreversible step while the time is not agreed', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const asked = await anHour(test.mock.timers, async () => undefined)
    assert.deepEqual(asked, ['compare', 'tidy 2032 undefined'])
  })
})
