import type { Caller } from '../caller.ts'
import type { Guard } from '../guard.ts'
import type { Refusal } from '../refusal.ts'
import { exactPathRouter, type RouteDecision } from '../routes/exact-path-router.ts'
import type { RouteTable } from '../routes/route-table.ts'
import { WebRequestCredentials } from './web-request-credentials.ts'

/** Answers a request that was let in. */
export type GuardedHandler<Role extends string> = (
  request: Request,
  caller: Caller<Role>,
) => Response | Promise<Response>

/** Answers a Web request. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/**
 * Makes a handler of Web requests, for any runtime that has them, in which everything below the
 * prefix is guarded: the routes of the table, found by their exact path, each by its role; anything
 * else by a valid token, before it is told that there is nothing.
 *
 * @param otherwise answers paths that are not below the prefix; by default there is nothing
 * @throws {RouteTableError} when a route states no role that the guard knows, or is misspelt
 * @example
 * const fetch = guardedFetch(guard, '/api/v1', {
 *   'GET /hi': { role: 'CallHiApiRole', handler: () => new Response('Hi') },
 * })
 */
export function guardedFetch<Role extends string>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<NoInfer<Role>, GuardedHandler<NoInfer<Role>>>,
  otherwise?: FetchHandler,
): FetchHandler {
  const table = exactPathRouter(guard, prefix, routes)
  return (request) => {
    const { pathname } = new URL(request.url)
    if (!table.isGuarded(pathname)) {
      return otherwise?.(request) ?? respond(guard.refuse('not_found'))
    }
    const answer = (
      outcome: RouteDecision<Role, GuardedHandler<Role>>,
    ): Response | Promise<Response> => {
      if ('handler' in outcome) return outcome.handler(request, outcome.caller)
      return respond(outcome)
    }
    const outcome = table.decide(request.method, pathname, new WebRequestCredentials(request))
    return outcome instanceof Promise ? outcome.then<Response>(answer) : answer(outcome)
  }
}

/** The refusal as a Web response. */
export function respond({ status, headers, body }: Refusal): Response {
  return new Response(body, { status, headers })
}
