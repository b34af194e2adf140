import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Counter, Gauge, Registry } from 'prom-client'
import { Channel } from '../../src/workers/channel.ts'
import { WorkerMetrics } from '../../src/workers/worker-metrics.ts'
import { readAllMetrics, reportMetrics } from '../../src/workers/worker-report.ts'
import { connectedPeers } from './connected-peers.ts'

/** Workers, each with a counter and a gauge. */
function startWorkers() {
  const channels: Channel[] = []
  const metrics = new WorkerMetrics(() => channels)
  const add = () => {
    const registry = new Registry()
    const registers = [registry]
    const requests = new Counter({ name: 'requests_total', help: 'Requests.', registers })
    const open = new Gauge({ name: 'open', help: 'Open connections.', registers })
    const age = new Gauge({ name: 'age', help: 'Age.', aggregator: 'max', registers })
    const [primaryEnd, workerEnd] = connectedPeers()
    const channel = new Channel(primaryEnd)
    const worker = new Channel(workerEnd)
    metrics.serve(channel)
    reportMetrics(worker, registry)
    channels.push(channel)
    const end = () => {
      channels.splice(channels.indexOf(channel), 1)
      return metrics.keepCounts(channel)
    }
    return { requests, open, age, end, read: () => readAllMetrics(worker) }
  }
  return { metrics, add }
}

const sampleOf = (name: string, text: string) =>
  Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]?.replace('+Inf', 'Infinity'))

describe('the metrics of workers', () => {
  it('are the same in the answer of every worker', async () => {
    const { add } = startWorkers()
    const [one, other] = [add(), add()]
    one.requests.inc(3)
    other.requests.inc(4)
    one.age.set(Number.POSITIVE_INFINITY)
    other.age.set(1)
    const text = await one.read()
    assert.equal(await other.read(), text)
    assert.equal(sampleOf('requests_total', text), 7)
    assert.equal(sampleOf('age', text), Number.POSITIVE_INFINITY)
    assert.equal(sampleOf('greeting_workers', text), 2)
  })

  it('keep the counts of workers that have ended, and not their gauges', async () => {
    const { metrics, add } = startWorkers()
    const stays = add()
    for (let round = 1; round <= 3; round += 1) {
      const ends = add()
      ends.requests.inc(10)
      ends.open.set(5)
      assert.equal(sampleOf('open', await stays.read()), 5)
      await ends.end()
      const text = await metrics.read()
      assert.equal(sampleOf('requests_total', text), round * 10)
      assert.equal(sampleOf('open', text), 0)
      assert.equal(sampleOf('greeting_worker_replacements_total', text), round)
    }
  })

  it('never go back when a worker does not answer', async () => {
    const { metrics, add } = startWorkers()
    const [one, other] = [add(), add()]
    one.requests.inc(2)
    other.requests.inc(3)
    assert.equal(sampleOf('requests_total', await metrics.read()), 5)
    Object.assign(other.requests, {
      collect: () => {
        throw new Error('busy')
      },
    })
    one.requests.inc(1)
    assert.equal(sampleOf('requests_total', await metrics.read()), 6)
  })
})
