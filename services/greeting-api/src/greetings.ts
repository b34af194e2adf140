import type { GuardedHandler } from '@greeting/guard/hono'

/** The app roles of the API, as its registration declares them. */
export const roles = ['CallHiApiRole', 'CallHelloApiRole'] as const

/** An app role of the API. */
export type Role = (typeof roles)[number]

const headers = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

const nameError = JSON.stringify({
  error: 'invalid_request',
  error_description: 'The query parameter name must occur exactly once',
})

const hi: GuardedHandler<Role> = () => new Response('Hi', { headers })

const hello: GuardedHandler<Role> = (c) => {
  const [name, ...others] = new URL(c.req.url).searchParams.getAll('name')
  if (name === undefined || others.length > 0) {
    return new Response(nameError, {
      status: 400,
      headers: { ...headers, 'content-type': 'application/json' },
    })
  }
  return new Response(`Hello, ${name}`, { headers })
}

/** The two greetings, each with its own role. */
export const greetingRoutes = {
  'GET /hi': { role: 'CallHiApiRole', handler: hi },
  'GET /hello': { role: 'CallHelloApiRole', handler: hello },
} as const
