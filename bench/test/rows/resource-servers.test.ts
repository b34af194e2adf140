import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Setup } from '../../harness/setup.ts'
import { shared } from '../../rows/resource-servers.ts'

// The fake below does not use it.
const setup = {} as Setup

describe('a shared process', () => {
  const counted = ({ failures = 0 } = {}) => {
    const calls: string[] = []
    const start = shared(async () => {
      calls.push('start')
      if (calls.length <= failures) throw new Error('the port is taken')
      return {
        url: `http://server.example/${calls.length}`,

        stop: async () => void calls.push('stop'),
      }
    })
    return { calls, start: () => start(setup, []) }
  }

  it('is started once, and stopped with the last row', async () => {
    const { calls, start } = counted()
    const [first, second] = await Promise.all([start(), start()])
    assert.equal(first.url, second.url)
    await first.stop()
    assert.deepEqual(calls, ['start'])
    await second.stop()
    assert.deepEqual(calls, ['start', 'stop'])
  })

  it('is a new one after a stop', async () => {
    const { calls, start } = counted()
    const first = await start()
    await first.stop()
    const second = await start()
    assert.notEqual(first.url, second.url)
    await second.stop()
    assert.deepEqual(calls, ['start', 'stop', 'start', 'stop'])
  })

  it('is started again by the next row when its start failed', async () => {
    const { calls, start } = counted({ failures: 1 })
    await assert.rejects(start, /the port is taken/)
    const second = await start()
    await second.stop()
    assert.deepEqual(calls, ['start', 'start', 'stop'])
  })
})
