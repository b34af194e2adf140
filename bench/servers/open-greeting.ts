import { Hono } from 'hono'

/** The greeting with the headers of the API and with nobody asking for a token. */
export const openGreeting = new Hono().get(
  '/api/v1/hi',
  () =>
    new Response('Hi', {
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    }),
)
