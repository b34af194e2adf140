import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { untilAborted } from '../../src/http/until-aborted.ts'

/** A signal that counts the listeners which it has, and those which it ever had. */
function countedSignal() {
  const controller = new AbortController()
  const { signal } = controller
  const counts = { now: 0, ever: 0 }
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    counts.now += 1
    counts.ever += 1
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    counts.now -= 1
    remove(...args)
  }
  return { controller, signal, counts }
}

describe('waiting until a signal is aborted', () => {
  it('adds one listener for 10,000 waits, and removes it with the last wait (CL8)', async () => {
    const { signal, counts } = countedSignal()
    const { promise, resolve } = Promise.withResolvers<string>()
    const waits = Array.from({ length: 10_000 }, () => untilAborted(promise, signal))
    assert.deepEqual(counts, { now: 1, ever: 1 })
    resolve('t1')
    assert.deepEqual([...new Set(await Promise.all(waits))], ['t1'])
    assert.deepEqual(counts, { now: 0, ever: 1 })
  })

  it("rejects all waits with the signal's reason", async () => {
    const { controller, signal, counts } = countedSignal()
    const never = new Promise<never>(() => undefined)
    const waits = Array.from({ length: 3 }, () => untilAborted(never, signal))
    controller.abort('stop')
    const ends = await Promise.allSettled(waits)
    assert.deepEqual(
      ends.map((end) => end.status === 'rejected' && end.reason),
      ['stop', 'stop', 'stop'],
    )
    assert.equal(counts.ever, 1)
    await assert.rejects(untilAborted(never, signal), (reason) => reason === 'stop')
  })

  it('rejects with the error of the awaited work', async () => {
    const { signal, counts } = countedSignal()
    await assert.rejects(untilAborted(Promise.reject(new Error('refused')), signal), /refused/)
    assert.equal(counts.now, 0)
  })

  it('adds a listener again for a later wait', async () => {
    const { controller, signal } = countedSignal()
    assert.equal(await untilAborted(Promise.resolve(1), signal), 1)
    const wait = untilAborted(new Promise<never>(() => undefined), signal)
    controller.abort('stop')
    await assert.rejects(wait, (reason) => reason === 'stop')
  })
})
