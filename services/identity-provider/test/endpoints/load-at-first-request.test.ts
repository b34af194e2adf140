import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ServerEnv } from '@greeting/http-service'
import { Hono } from 'hono'
import { loadAtFirstRequest } from '../../src/endpoints/load-at-first-request.ts'

it('loadAtFirstRequest loads an app once, at its first request, and passes each request to it', async () => {
  let loads = 0
  const answer = loadAtFirstRequest(async () => {
    loads++
    return new Hono().all('*', ({ req, env }) => Response.json({ path: req.path, env }))
  })
  assert.equal(loads, 0)
  const env = { name: 'bindings' } as unknown as ServerEnv['Bindings']
  const paths = ['/one', '/two']
  const answers = await Promise.all(
    paths.map(async (path) => (await answer(new Request(`http://login.test${path}`), env)).json()),
  )
  assert.deepEqual(
    answers,
    paths.map((path) => ({ path, env })),
  )
  assert.equal(loads, 1)
})

it('loadAtFirstRequest loads an app again after a failure', async () => {
  const failures = [new Error('too many open files')]
  const answer = loadAtFirstRequest(async () => {
    const failure = failures.pop()
    if (failure !== undefined) throw failure
    return new Hono().all('*', ({ text }) => text('loaded'))
  })
  const ask = () => answer(new Request('http://login.test/'), {} as ServerEnv['Bindings'])
  await assert.rejects(ask(), /too many open files/)
  assert.equal(await (await ask()).text(), 'loaded')
})
