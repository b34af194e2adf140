import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { Channel } from '../../src/workers/channel.ts'
import { WorkerPool, type WorkerProcess } from '../../src/workers/worker-pool.ts'
import { connectedPeers } from './connected-peers.ts'

const address = { url: 'http://127.0.0.1:1' }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A pool of fake workers, with a clock and timers of the test. */
function startPool(count: number) {
  const workers: (WorkerProcess & EventEmitter & { ready: () => void; signals: string[] })[] = []
  const timers: { delayMs: number; callback: () => void; isCancelled: boolean }[] = []
  const ends: unknown[] = []
  const ready: unknown[] = []
  let nowMs = 0
  const fork = () => {
    const [primaryEnd, workerEnd] = connectedPeers()
    const channel = new Channel(workerEnd)
    const signals: string[] = []
    const worker = Object.assign(primaryEnd, {
      process: { pid: workers.length + 1, kill: (signal: string) => signals.push(signal) },
      ready: () => channel.tell('ready', address),
      signals,
    })
    workers.push(worker)
    return worker
  }
  const pool = new WorkerPool({
    count,
    fork,
    connect: () => {},
    onReady: (pid) => ready.push(pid),
    onEnd: (_, end) => ends.push(end),
    monotonicNowMs: () => nowMs,
    schedule: (delayMs, callback) => {
      const timer = { delayMs, callback, isCancelled: false }
      timers.push(timer)
      return () => {
        timer.isCancelled = true
      }
    },
  })
  const started = pool.start()
  started.catch(() => {})
  const makeReady = async (index: number) => {
    await turn()
    workers[index]?.ready()
    await turn()
    await turn()
  }
  return {
    pool,
    workers,
    timers,
    ends,
    ready,
    started,
    makeReady,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('a pool of workers', () => {
  it('starts the first worker alone, and the others when it is ready', async () => {
    const { workers, started, makeReady, ready } = startPool(3)
    assert.equal(workers.length, 1)
    await makeReady(0)
    assert.equal(workers.length, 3)
    await makeReady(1)
    await makeReady(2)
    assert.deepEqual(await started, address)
    assert.deepEqual(ready, [1, 2, 3])
  })

  for (const [title, code, signal, exitCode] of [
    ['its exit code', 2, null, 2],
    ['1 when a signal ended it', null, 'SIGKILL', 1],
    ['1 when it ended without a failure', 0, null, 1],
  ] as const) {
    it(`fails with ${title} when a worker cannot start`, async () => {
      const { workers, started } = startPool(2)
      workers[0]?.emit('exit', code, signal)
      await assert.rejects(started, { code: 'worker_start_failed', exitCode })
    })
  }

  it('replaces a worker that ends, later each time it ends soon', async () => {
    const { pool, workers, timers, ends, makeReady } = startPool(1)
    await makeReady(0)
    for (const [index, delayMs] of [0, 100, 200, 400].entries()) {
      workers[index]?.emit('exit', null, 'SIGKILL')
      assert.equal(timers[index]?.delayMs, delayMs)
      assert.equal(pool.channels.length, 0)
      timers[index]?.callback()
      await makeReady(index + 1)
    }
    assert.deepEqual(ends[0], { pid: 1, code: null, signal: 'SIGKILL' })
    assert.equal(pool.channels.length, 1)
  })

  it('replaces a worker immediately when it ran for 10 s', async () => {
    const { workers, timers, makeReady, pass } = startPool(1)
    await makeReady(0)
    for (const index of [0, 1, 2]) {
      pass(10_000)
      workers[index]?.emit('exit', 1, null)
      assert.equal(timers[index]?.delayMs, 0)
      timers[index]?.callback()
      await makeReady(index + 1)
    }
  })

  it('tries again when a replacement cannot start', async () => {
    const { workers, timers, makeReady } = startPool(1)
    await makeReady(0)
    workers[0]?.emit('exit', 1, null)
    timers[0]?.callback()
    workers[1]?.emit('exit', 1, null)
    await turn()
    assert.equal(timers[1]?.delayMs, 100)
  })

  it('waits at most 10 s', async () => {
    const { workers, timers, makeReady } = startPool(1)
    await makeReady(0)
    for (let index = 0; index < 20; index += 1) {
      workers[index]?.emit('exit', 1, null)
      await turn()
      timers[index]?.callback()
    }
    assert.equal(timers.at(-1)?.delayMs, 10_000)
  })

  it('stops all workers, replaces none of them, and resolves when all have ended', async () => {
    const { pool, workers, timers, ends, makeReady } = startPool(2)
    await makeReady(0)
    await makeReady(1)
    let isStopped = false
    const stopped = pool.stop().then(() => {
      isStopped = true
    })
    assert.deepEqual(
      workers.map(({ signals }) => signals),
      [['SIGTERM'], ['SIGTERM']],
    )
    workers[0]?.emit('exit', 0, null)
    await turn()
    assert.equal(isStopped, false)
    workers[1]?.emit('exit', 0, null)
    await stopped
    assert.deepEqual([timers, ends], [[], []])
  })

  it('cancels a planned start when it stops', async () => {
    const { pool, workers, timers, makeReady } = startPool(1)
    await makeReady(0)
    workers[0]?.emit('exit', 1, null)
    await pool.stop()
    assert.equal(timers[0]?.isCancelled, true)
  })
})
