import assert from 'node:assert/strict'
import { it } from 'node:test'
import { measureRequests, observeRequests, type RequestLabels } from '../src/request-observer.ts'

it('requestObserver measures a request until its response begins, with a bounded method', async () => {
  const measured: [RequestLabels, number][] = []
  let nowMs = 1000
  const observe = measureRequests(
    (labels, seconds) => measured.push([labels, seconds]),
    () => nowMs,
  )
  for (const method of ['GET', 'PROPFIND']) {
    const request = new Request('http://api.test/items/7', { method })
    const answer = async () => {
      nowMs += 250
      return new Response(null, { status: 204 })
    }
    assert.equal((await observe(request, () => '/items/:id', answer)).status, 204)
  }
  const labels = (method: string) => ({ method, route: '/items/:id', status: 204 })
  assert.deepEqual(measured, [
    [labels('GET'), 0.25],
    [labels('_OTHER'), 0.25],
  ])
})

it('requestObserver observes nothing without tracing and metrics', () => {
  assert.equal(observeRequests(undefined, undefined), undefined)
})

it('requestObserver traces a request under the path that the service shows', async () => {
  const paths: unknown[] = []
  const tracing = {
    run: async (start: { attributes: object }, run: (span: object) => Promise<Response>) => {
      paths.push(start.attributes)
      return run({ rename: () => undefined, annotate: () => undefined })
    },
  }
  const shown = (path: string) => path.replace('secret', 'x')
  const observe = observeRequests(tracing as never, undefined, shown)
  await observe?.(
    new Request('http://api.test/secret?code=secret'),
    () => '/:key',
    async () => new Response(),
  )
  assert.deepEqual(paths, [{ 'url.path': '/x' }])
})
