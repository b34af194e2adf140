// Runs on every runtime, against the installed packages. It uses Web APIs only.
import { clientSecret, createTokenSource, fetchWithToken } from '@greeting/client'
import { createGuard, entra } from '@greeting/guard'
import { guardedFetch } from '@greeting/guard/web'

const routes = {
  'GET /hi': { role: 'CallHiApiRole', handler: () => new Response('Hi') },
  'GET /hello': { role: 'CallHelloApiRole', handler: () => new Response('Hello') },
}

function assertEqual(actual, expected) {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(value) ?? 'undefined')
  if (found !== wanted) throw new Error(`${found} instead of ${wanted}`)
}

const request = (path, authorization) =>
  new Request(`https://api.example/api/v1${path}`, {
    headers: authorization ? { authorization } : {},
  })

/** A guard with a clock and a provider of its own. */
function guardIn(input, overrides) {
  const events = []
  const options = entra(input.options)
  const guard = createGuard(
    { ...options, listener: (event) => events.push(event) },
    {
      wallClockMs: () => input.now * 1000,
      fetch: async () => new Response(input.keySet),
      ...overrides,
    },
  )
  return { guard, events, answer: guardedFetch(guard, '/api/v1', routes) }
}

function guardTests(input) {
  const { guard, events, answer } = guardIn(input)
  const rows = input.rows.map(({ name, path, authorization, status, reason, isCached }) => [
    `the guard: ${name}: ${status}`,
    async () => {
      events.length = 0
      const response = await answer(request(path, authorization))
      await response.text()
      assertEqual(response.status, status)
      const refused = events.find(({ type }) => type === 'refused')
      assertEqual(refused?.reason, reason)
      if (isCached) assertEqual(events[0].isCached, true)
    },
  ])
  return [
    ...rows,
    [
      'the guard: one good token is cached',
      async () => {
        assertEqual(guard.cachedTokens(), 1)
        guard.stop()
      },
    ],
  ]
}

const refreshTests = (input) => [
  [
    'keys: an unknown key ID refreshes them once in 30 s',
    async () => {
      let fetches = 0
      let clockMs = 1000
      const { guard, answer } = guardIn(input, {
        monotonicMs: () => clockMs,
        schedule: () => () => {},
        fetch: async () => {
          fetches += 1
          return new Response(input.keySet)
        },
      })
      const ask = async () =>
        (await answer(request('/hi', `Bearer ${input.tokens.unknownKey}`))).status
      assertEqual([await ask(), await ask(), fetches], [401, 401, 1])
      clockMs += 30_000
      assertEqual([await ask(), fetches], [401, 2])
      guard.stop()
    },
  ],
  [
    'keys: without timers, a request refreshes those that are due, after its answer',
    async () => {
      const kept = []
      let fetches = 0
      let clockMs = 1000
      const { guard, answer } = guardIn(input, {
        monotonicMs: () => clockMs,
        schedule: () => () => {},
        waitUntil: (promise) => kept.push(promise),
        fetch: async () => {
          fetches += 1
          return new Response(input.keySet)
        },
      })
      const ask = async () => (await answer(request('/hi', `Bearer ${input.tokens.good}`))).status
      assertEqual([await ask(), fetches, kept.length], [200, 1, 1])
      clockMs += 3_600_000
      assertEqual([await ask(), kept.length], [200, 2])
      await Promise.all(kept)
      assertEqual([await ask(), fetches, kept.length], [200, 2, 2])
      guard.stop()
    },
  ],
  [
    'keys: an unreachable provider is 503, not 401',
    async () => {
      const { guard, answer } = guardIn(input, {
        fetch: () => Promise.reject(new TypeError('down')),
      })
      const response = await answer(request('/hi', `Bearer ${input.tokens.good}`))
      assertEqual(response.status, 503)
      guard.stop()
    },
  ],
]

/** A token endpoint and an API behind one `fetch`. */
function clientIn(answers) {
  const sent = []
  const tokens = createTokenSource({
    authority: 'https://login.example/8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e',
    clientId: '6a8b4b39-1111-4222-8333-c0ffee000002',
    credential: clientSecret('a secret of the suite'),
    scope: 'api://a/.default',
    runtime: {
      fetch: async (input) => {
        sent.push(String(input.url ?? input))
        return answers()
      },
    },
  })
  return { tokens, sent }
}
const json = (status, body) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

const clientTests = [
  [
    'the client: many callers share one token request, and its token is kept',
    async () => {
      const { tokens, sent } = clientIn(() =>
        json(200, { token_type: 'Bearer', expires_in: 3599, access_token: 'a.b.c' }),
      )
      const found = await Promise.all([tokens.token(), tokens.token(), tokens.token()])
      assertEqual([found.map(String), sent.length], [['a.b.c', 'a.b.c', 'a.b.c'], 1])
      await tokens.token()
      assertEqual(sent.length, 1)
    },
  ],
  [
    'the client: a refused secret is an error with a code, and is not repeated',
    async () => {
      const { tokens, sent } = clientIn(() =>
        json(401, { error: 'invalid_client', error_description: 'AADSTS7000215: wrong' }),
      )
      const error = await tokens.token().then(
        () => undefined,
        (found) => found,
      )
      assertEqual([error?.name, sent.length], ['ClientError', 1])
      assertEqual(String(error).includes('a secret of the suite'), false)
    },
  ],
  [
    'the client: a call carries the token',
    async () => {
      const { tokens } = clientIn(() =>
        json(200, { token_type: 'Bearer', expires_in: 3599, access_token: 'a.b.c' }),
      )
      let authorization
      const fetch = async (input, init) => {
        authorization = new Headers(init?.headers ?? input.headers).get('authorization')
        return new Response('Hi')
      }
      const call = fetchWithToken({ baseUrl: 'https://api.example', tokens, runtime: { fetch } })
      assertEqual([await (await call('/api/v1/hi')).text(), authorization], ['Hi', 'Bearer a.b.c'])
    },
  ],
]

/** Runs every test, one after the other. */
export async function runSuite(input) {
  const results = []
  for (const [name, test] of [...guardTests(input), ...refreshTests(input), ...clientTests]) {
    const fault = await test().then(
      () => undefined,
      (error) => String(error?.message ?? error),
    )
    results.push({ name, fault })
  }
  return results
}
