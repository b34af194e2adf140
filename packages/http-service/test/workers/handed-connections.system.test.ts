import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { takeBackConnections } from '../../src/workers/run-primary.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A worker process whose messages go nowhere, and the refusals that `node:cluster` receives. */
function fakeWorker(hasOthers: boolean) {
  const refused: unknown[] = []
  const events: string[] = []
  const worker = Object.assign(new EventEmitter(), { connected: true, send: () => true })
  takeBackConnections(worker as unknown as ChildProcess, () => hasOthers)
  worker.on('disconnect', () => events.push('disconnect'))
  const hand = (seq: number) => {
    const close = () => events.push(`close ${seq}`)
    const send = worker.send as (message: object, connection: object) => boolean
    send({ cmd: 'NODE_CLUSTER', act: 'newconn', seq }, { close })
  }
  const acknowledge = (seq: number) =>
    worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: true })
  const end = async () => {
    worker.emit('exit')
    await turn()
    worker.on('internalMessage', ({ ack, accepted }) => refused.push([ack, accepted]))
    worker.connected = false
    await turn()
  }
  return { hand, acknowledge, end, refused, events }
}

describe('connections that were handed to a worker that ends', () => {
  it('go to another worker when they are not acknowledged', async () => {
    const worker = fakeWorker(true)
    for (const seq of [1, 2, 3]) worker.hand(seq)
    worker.acknowledge(2)
    await worker.end()
    assert.deepEqual(worker.refused, [
      [1, false],
      [3, false],
    ])
    assert.deepEqual(worker.events, ['disconnect'])
  })

  it('are closed when there is no other worker', async () => {
    const worker = fakeWorker(false)
    for (const seq of [1, 2]) worker.hand(seq)
    worker.acknowledge(1)
    await worker.end()
    assert.deepEqual([worker.refused, worker.events], [[], ['disconnect', 'close 2']])
  })
})
