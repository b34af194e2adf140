import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Pipeline } from '../../src/listener/pipeline.ts'

const contentBytes = 800

/** Opens a connection with one request. */
function opened(pipeline: Pipeline): { readonly socket: EventEmitter; readonly response: object } {
  const content = new Array<number>(contentBytes / 8).fill(0.5)
  const socket = Object.assign(new EventEmitter(), { parser: null, writable: true })
  const response = { content, req: { socket } }
  pipeline.enter(response as unknown as ServerResponse, () => {})
  return { socket, response }
}

const oldGenerationBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ??
  Number.NaN

describe('the latest responses of open connections', () => {
  const rows = [
    { closed: [], left: [0, 1, 2] },
    { closed: [0], left: [1, 2] },
    { closed: [1], left: [0, 2] },
    { closed: [2], left: [0, 1] },
    { closed: [2, 0], left: [1] },
    { closed: [0, 1, 2], left: [] },
  ]
  for (const { closed, left } of rows) {
    it(`are [${left}] of three after the connections [${closed}] are closed`, () => {
      const pipeline = new Pipeline(100, 1000)
      const connections = [opened(pipeline), opened(pipeline), opened(pipeline)]
      for (const index of closed) connections[index]?.socket.emit('close')
      const responses: readonly object[] = connections.map(({ response }) => response)
      assert.deepEqual(pipeline.latest.map((one) => responses.indexOf(one)).sort(), left)
    })
  }

  it("leave nothing in V8's old generation after their connections are closed", () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void
    const pipeline = new Pipeline(100, 1000)
    const [collections, connectionsBetween, openAtOnce] = [20, 500, 4]
    const open: EventEmitter[] = []
    collect()
    const bytesBefore = oldGenerationBytes()
    for (let collection = 0; collection < collections; collection += 1) {
      for (let count = 0; count < connectionsBetween; count += 1) {
        open.push(opened(pipeline).socket)
        if (open.length > openAtOnce) open.shift()?.emit('close')
      }
      collect({ type: 'minor' })
    }
    const bytesOfAll = collections * connectionsBetween * contentBytes
    const bytes = oldGenerationBytes() - bytesBefore
    assert.ok(bytes < bytesOfAll / 10, `${bytes} of ${bytesOfAll} bytes`)
  })
})
