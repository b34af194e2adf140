import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Channel } from '../../src/workers/channel.ts'
import { fetchThrough, onSharedFetch, SharedFetch } from '../../src/workers/shared-fetch.ts'
import { connectedPeers } from './connected-peers.ts'

const url = 'https://login.example/keys'

/** Workers that fetch through one primary process. */
function startWorkers(count: number, fetchOne: typeof fetch) {
  const clock = { nowMs: 0 }
  const shared = new SharedFetch(fetchOne, () => clock.nowMs)
  const primaryEnds: Channel[] = []
  const workers = Array.from({ length: count }, () => {
    const [primaryEnd, workerEnd] = connectedPeers()
    const channel = new Channel(primaryEnd)
    primaryEnds.push(channel)
    shared.serve(channel, () => primaryEnds)
    const worker = new Channel(workerEnd)
    const notices = { count: 0 }
    onSharedFetch(worker, () => {
      notices.count += 1
    })
    return { fetch: fetchThrough(worker), notices }
  })
  return { clock, workers }
}

function counted(response: () => Response | Promise<Response>) {
  const requests: Request[] = []
  const fetchOne: typeof fetch = async (input, init) => {
    requests.push(new Request(input, init))
    return response()
  }
  return { requests, fetchOne }
}

describe('a fetch that workers share', () => {
  it('makes one request for all workers that ask at the same time, and later within 30 s', async () => {
    const { requests, fetchOne } = counted(() => Response.json({ keys: [] }))
    const { clock, workers } = startWorkers(3, fetchOne)
    const responses = await Promise.all(workers.map(({ fetch }) => fetch(url)))
    assert.deepEqual(await Promise.all(responses.map((one) => one.json())), [
      { keys: [] },
      { keys: [] },
      { keys: [] },
    ])
    clock.nowMs = 29_999
    await workers[0]?.fetch(url)
    assert.equal(requests.length, 1)
    clock.nowMs = 30_000
    await workers[0]?.fetch(url)
    assert.equal(requests.length, 2)
  })

  it('notifies the other workers about a good response, and not about a shared one', async () => {
    const { fetchOne } = counted(() => Response.json({}))
    const { workers } = startWorkers(3, fetchOne)
    await workers[1]?.fetch(url)
    await workers[2]?.fetch(url)
    assert.deepEqual(
      workers.map(({ notices }) => notices.count),
      [1, 0, 1],
    )
  })

  it('passes the header fields, and follows no redirect', async () => {
    const { requests, fetchOne } = counted(() => new Response(null, { status: 302 }))
    const { workers } = startWorkers(1, fetchOne)
    const response = await workers[0]?.fetch(url, { headers: { accept: 'application/json' } })
    assert.equal(response?.status, 302)
    assert.equal(requests[0]?.redirect, 'manual')
    assert.equal(requests[0]?.headers.get('accept'), 'application/json')
  })

  for (const status of [204, 304, 404, 500]) {
    it(`does not keep a response with status ${status}`, async () => {
      const { requests, fetchOne } = counted(() => new Response(null, { status }))
      const { workers } = startWorkers(2, fetchOne)
      for (const { fetch } of workers) assert.equal((await fetch(url)).status, status)
      assert.equal(requests.length, 2)
      assert.deepEqual(
        workers.map(({ notices }) => notices.count),
        [0, 0],
      )
    })
  }

  it('passes failures on, and does not keep them', async () => {
    const { requests, fetchOne } = counted(() => Promise.reject(new TypeError('fetch failed')))
    const { workers } = startWorkers(1, fetchOne)
    for (const _ of [1, 2]) {
      await assert.rejects(Promise.resolve(workers[0]?.fetch(url)), { message: 'fetch failed' })
    }
    assert.equal(requests.length, 2)
  })

  it('refuses a response above 1 MB', async () => {
    const { fetchOne } = counted(() => new Response(new Uint8Array(1_000_001)))
    const { workers } = startWorkers(1, fetchOne)
    await assert.rejects(Promise.resolve(workers[0]?.fetch(url)), {
      message: 'the response is above 1000000 B',
    })
  })
})
