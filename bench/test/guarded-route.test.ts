import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Lab } from '../harness/contender.ts'
import { shared } from '../harness/guarded-route.ts'

// Nobody here looks at it.
const lab = {} as Lab

describe('a server that rows share', () => {
  const counted = ({ failures = 0 } = {}) => {
    const told: string[] = []
    const start = shared(async () => {
      told.push('start')
      if (told.length <= failures) throw new Error('the port is taken')
      return {
        url: `http://server.example/${told.length}`,
        pid: 1,
        stop: async () => void told.push('stop'),
      }
    })
    return { told, start: () => start(lab, []) }
  }

  it('is started once, and stopped with the last of them', async () => {
    const { told, start } = counted()
    const [first, second] = await Promise.all([start(), start()])
    assert.equal(first.url, second.url)
    await first.stop()
    assert.deepEqual(told, ['start'])
    await second.stop()
    assert.deepEqual(told, ['start', 'stop'])
  })

  it('is another one once it was stopped', async () => {
    const { told, start } = counted()
    const first = await start()
    await first.stop()
    const second = await start()
    assert.notEqual(first.url, second.url)
    await second.stop()
    assert.deepEqual(told, ['start', 'stop', 'start', 'stop'])
  })

  it('is tried again by the next row when it does not start', async () => {
    const { told, start } = counted({ failures: 1 })
    await assert.rejects(start, /the port is taken/)
    const second = await start()
    await second.stop()
    assert.deepEqual(told, ['start', 'start', 'stop'])
  })
})
