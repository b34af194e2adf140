// A worker with real keys, a real `waitUntil`, and a clock that requests advance.

import { waitUntil } from 'cloudflare:workers'
import { createGuard, entra } from '@greeting/guard'
import { guardedFetch } from '@greeting/guard/web'
import input from './input.json'

let clockMs = 1000
const options = entra({ ...input.options, keySetUrl: input.keySetUrl })
const guard = createGuard(options, {
  waitUntil,
  wallClockMs: () => input.now * 1000,
  monotonicMs: () => clockMs,
})
const routes = { 'GET /hi': { role: 'CallHiApiRole', handler: () => new Response('Hi') } }

export default {
  fetch: guardedFetch(guard, '/api/v1', routes, (request) => {
    clockMs += Number(new URL(request.url).searchParams.get('pass-ms'))
    return Response.json({ clockMs, keySets: guard.keySets() })
  }),
}
