import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTracing } from '../src/index.ts'
import type { Tracing } from '../src/tracing.ts'
import { startCollector } from './otlp-collector.ts'

const options = { headers: { authorization: 'key' }, serviceName: 'api', sampleRatio: 1 }
const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'

/** The spans that some work makes. */
async function spansOf(work: (tracing: Tracing) => Promise<void>, sampleRatio = 1) {
  const collector = await startCollector()
  const tracing = await startTracing({ ...options, endpoint: collector.url, sampleRatio })
  assert.ok(tracing)
  await work(tracing)
  await tracing.stop()
  await collector.stop()
  return collector
}

const nothing = async () => undefined

describe('tracing', () => {
  it('is off without options', async () => {
    assert.equal(await startTracing(undefined), undefined)
  })

  it("continues a request's trace, and passes it to the requests that it sends", async () => {
    const sent = new Headers()
    const { spans, headers } = await spansOf(async ({ run, annotate, logFields, traceFetch }) => {
      const received = new Headers({ traceparent: `${parent}-01` })
      await run({ name: 'GET', kind: 'server', received }, async (span) => {
        span.rename('GET /hi')
        await run({ name: 'inner', kind: 'internal' }, async () => annotate({ reason: 'expired' }))
        const fetchKeys = traceFetch(async (_, init) => {
          for (const [name, value] of new Headers(init?.headers)) sent.set(name, value)
          return new Response(null, { status: 503 })
        })
        await fetchKeys('http://keys.test:81/keys?secret=canary', { headers: { accept: 'x' } })
        assert.equal(logFields().trace_id, '4bf92f3577b34da6a3ce929d0e0e4736')
      })
      assert.deepEqual(logFields(), {})
    })
    const [inner, client, server] = spans
    assert.deepEqual(
      spans.map(({ name, traceId }) => [name, traceId]),
      ['inner', 'GET', 'GET /hi'].map((name) => [name, '4bf92f3577b34da6a3ce929d0e0e4736']),
    )
    assert.equal(server?.parentSpanId, '00f067aa0ba902b7')
    assert.deepEqual([inner?.parentSpanId, client?.parentSpanId], Array(2).fill(server?.spanId))
    assert.deepEqual(inner?.attributes, { reason: 'expired' })
    assert.deepEqual(client?.attributes, {
      'http.request.method': 'GET',
      'server.address': 'keys.test',
      'server.port': 81,
      'url.path': '/keys',
      'http.response.status_code': 503,
      'error.type': '503',
    })
    assert.equal(client?.isFailed, true)
    assert.equal(sent.get('traceparent'), `00-${client?.traceId}-${client?.spanId}-01`)
    assert.equal(sent.get('accept'), 'x')
    assert.deepEqual(headers, ['key'])
  })

  it('ends the span of failed work with the error class, and rethrows the error', async () => {
    const collector = await spansOf(async ({ run }) => {
      const failure = new RangeError('canary')
      const work = run({ name: 'work', kind: 'internal' }, () => Promise.reject(failure))
      await assert.rejects(work, (error) => error === failure)
    })
    assert.deepEqual(collector.spans[0]?.attributes, { 'error.type': 'RangeError' })
    assert.ok(!collector.text().includes('canary'))
  })

  it('does not extend a trace into a timer that the request started', async () => {
    const { spans } = await spansOf(async ({ run }) => {
      const later = Promise.withResolvers<void>()
      await run({ name: 'request', kind: 'server' }, async () => {
        setImmediate(() => setImmediate(() => later.resolve(run(refresh, nothing))))
      })
      await later.promise
    })
    const refreshed = spans.find(({ name }) => name === 'refresh')
    assert.ok(refreshed)
    assert.ok(!refreshed.parentSpanId)
    assert.notEqual(refreshed.traceId, spans.find(({ name }) => name === 'request')?.traceId)
  })

  it("follows the caller's sampling decision, and its own ratio for other traces", async () => {
    const { spans } = await spansOf(async ({ run }) => {
      const start = (flags: string) => ({
        ...({ name: flags, kind: 'server' } as const),
        received: new Headers({ traceparent: `${parent}-${flags}` }),
      })
      await run(start('00'), nothing)
      await run(start('01'), nothing)
      await run({ name: 'own', kind: 'server' }, nothing)
    }, 0)
    assert.deepEqual(
      spans.map(({ name }) => name),
      ['01'],
    )
  })

  it('truncates long attributes', async () => {
    const { spans } = await spansOf(async ({ run }) => {
      await run({ name: 'x', kind: 'internal', attributes: { a: 'a'.repeat(9000) } }, nothing)
    })
    assert.equal(String(spans[0]?.attributes.a).length, 512)
  })

  for (const [state, status] of [
    ['refuses the spans', 403],
    ['is unavailable', undefined],
  ] as const) {
    it(`returns the result of the work even if the collector ${state}`, async () => {
      const collector = await startCollector(status)
      if (status === undefined) await collector.stop()
      const tracing = await startTracing({ ...options, endpoint: collector.url })
      assert.equal(await tracing?.run({ name: 'x', kind: 'internal' }, async () => 'done'), 'done')
      await tracing?.stop()
      if (status !== undefined) await collector.stop()
      assert.equal(collector.headers.length > 0, status !== undefined)
    })
  }
})

const refresh = { name: 'refresh', kind: 'client' } as const
