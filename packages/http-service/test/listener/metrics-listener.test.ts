import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { metricsFetch, openMetricsListener } from '../../src/listener/metrics-listener.ts'

describe('the metrics listener', () => {
  it('is off without a port', async () => {
    const settings = { METRICS_HOST: '127.0.0.1', METRICS_PORT: null }
    assert.equal(await openMetricsListener(settings), undefined)
  })

  it('serves only GET /metrics, as text that is not cached', async () => {
    const settings = { METRICS_HOST: '127.0.0.1', METRICS_PORT: 0 }
    const listener = await openMetricsListener(settings)
    assert.ok(listener)
    try {
      assert.equal((await fetch(`${listener.url}/metrics`)).status, 503, 'the service is starting')
      listener.answerWith(metricsFetch(async () => 'up 1\n'))
      const response = await fetch(`${listener.url}/metrics`)
      assert.deepEqual([response.status, await response.text()], [200, 'up 1\n'])
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      const statusOf = async (method: string, path: string) =>
        (await fetch(`${listener.url}${path}`, { method })).status
      assert.equal(await statusOf('POST', '/metrics'), 404)
      assert.equal(await statusOf('GET', '/'), 404)
      assert.equal(await statusOf('GET', '/metrics/x'), 404)
    } finally {
      await listener.stop()
    }
  })

  it('AS44: reads no body', async () => {
    let taken = 0
    for (const path of ['/metrics', '/x']) {
      const pull = (controller: ReadableStreamDefaultController) => {
        taken += 1
        controller.enqueue(Buffer.from('a&'))
      }
      const body = new ReadableStream({ pull }, { highWaterMark: 0 })
      const sent = { method: 'POST', body, duplex: 'half' } as RequestInit
      const request = new Request(`http://127.0.0.1${path}`, sent)
      const { status } = await metricsFetch(async () => 'up 1\n')(request)
      assert.deepEqual([status, taken], [404, 0])
    }
  })
})
