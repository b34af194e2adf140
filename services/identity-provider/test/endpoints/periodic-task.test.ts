import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { startPeriodicTask } from '../../src/startup/start-background-tasks.ts'

const log = () => {
  const lines: string[] = []
  const note = (_: object, text: string) => void lines.push(text)
  return { lines, debug: note, info: note, warn: note, error: note }
}
/** Waits for the current run. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a periodic task', () => {
  it('waits after each run, and stops after the current run', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const task = mock.fn(async () => undefined)
    const stop = startPeriodicTask(100, 'something', task, log())
    assert.equal(task.mock.callCount(), 0)
    for (let time = 1; time <= 3; time += 1) {
      test.mock.timers.tick(100)
      await settle()
      assert.equal(task.mock.callCount(), time)
    }
    await stop()
    test.mock.timers.tick(1000)
    await settle()
    assert.equal(task.mock.callCount(), 3)
  })

  it('aborts a long run when it stops, and logs no failure', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const kept = log()
    const untilAborted = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const stop = startPeriodicTask(100, 'something', untilAborted, kept)
    test.mock.timers.tick(100)
    await stop()
    assert.deepEqual(kept.lines, [])
  })

  it('logs the failure of the last run', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const kept = log()
    const untilAborted = (signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('no'))))
    const stop = startPeriodicTask(100, 'something', untilAborted, kept)
    test.mock.timers.tick(100)
    await stop()
    assert.deepEqual(kept.lines, ['something failed'])
  })

  it('continues after a failure, and logs the failure and the recovery once', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const kept = log()
    let fails = true
    const stop = startPeriodicTask(
      100,
      'the task',
      async () => {
        if (fails) throw new Error('no')
      },
      kept,
    )
    for (let time = 0; time < 5; time += 1) {
      fails = time < 3
      test.mock.timers.tick(100)
      await settle()
    }
    assert.deepEqual(kept.lines, ['the task failed', 'the task succeeds again'])
    await stop()
  })
})
