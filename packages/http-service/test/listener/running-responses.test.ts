import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RunningResponses } from '../../src/listener/drain.ts'

const contentBytes = 800

function added(running: RunningResponses): EventEmitter {
  const content = new Array<number>(contentBytes / 8).fill(0.5)
  const response = Object.assign(new EventEmitter(), { content })
  running.add(response as unknown as ServerResponse)
  return response
}

const oldGenerationBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ??
  Number.NaN

describe('running responses', () => {
  const rows = [
    { closed: [], left: [0, 1, 2] },
    { closed: [0], left: [1, 2] },
    { closed: [1], left: [0, 2] },
    { closed: [2], left: [0, 1] },
    { closed: [2, 0], left: [1] },
    { closed: [0, 1, 2], left: [] },
  ]
  for (const { closed, left } of rows) {
    it(`are [${left}] of three when [${closed}] have closed`, () => {
      const running = new RunningResponses()
      const responses = [added(running), added(running), added(running)]
      for (const index of closed) responses[index]?.emit('close')
      const found = [...running].map((one) => responses.indexOf(one as unknown as EventEmitter))
      assert.deepEqual(found.sort(), left)
    })
  }

  it('leave nothing in the old generation of V8 when they are closed', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void
    const running = new RunningResponses()
    const [collections, responsesBetween, runningAtOnce] = [20, 500, 4]
    const open: EventEmitter[] = []
    collect()
    const bytesBefore = oldGenerationBytes()
    for (let collection = 0; collection < collections; collection += 1) {
      for (let count = 0; count < responsesBetween; count += 1) {
        open.push(added(running))
        if (open.length > runningAtOnce) open.shift()?.emit('close')
      }
      collect({ type: 'minor' })
    }
    const bytesOfAll = collections * responsesBetween * contentBytes
    const bytes = oldGenerationBytes() - bytesBefore
    assert.ok(bytes < bytesOfAll / 10, `${bytes} of ${bytesOfAll} bytes`)
  })
})
