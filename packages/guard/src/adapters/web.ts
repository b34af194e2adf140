// Folder: The guard in the frameworks of users: one file for each.

import type { Caller } from '../caller.ts'
import { anyCaller, type Guard, type RequiredRole } from '../guard.ts'
import type { Refusal } from '../refusal.ts'
import { exactPathRouter } from '../routes/exact-path-router.ts'
import { checkRequirement, type RouteTable, whenDecided } from '../routes/route-table.ts'
import { WebRequestCredentials } from './request-credentials.ts'

/** Handles an admitted request. */
export type GuardedHandler<Role extends string> = (
  request: Request,
  caller: Caller<Role>,
) => Response | Promise<Response>

/** Handles a Web request. */
export type FetchHandler = (request: Request) => Response | Promise<Response>

/**
 * Creates a handler of Web requests that requires a role before another handler.
 *
 * @throws {TypeError} without a guard, or for a role that the guard does not have
 * @example
 * const fetch = requireRole(guard, 'CallHiApiRole', () => new Response('Hi'))
 */
export function requireRole<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<NoInfer<Role>>,
  handler: GuardedHandler<Role>,
): FetchHandler {
  checkRequirement(guard, role)
  return (request) =>
    whenDecided(guard.decide(new WebRequestCredentials(request), role), (decision) =>
      decision.outcome === 'refused' ? respond(decision) : handler(request, decision),
    )
}

/**
 * Creates a handler of Web requests that requires a valid token, with or without roles, before another
 * handler.
 *
 * @throws {TypeError} without a guard
 * @example
 * const fetch = requireCaller(guard, (request, caller) => new Response(caller.applicationId))
 */
export function requireCaller<Role extends string>(
  guard: Guard<Role>,
  handler: GuardedHandler<Role>,
): FetchHandler {
  return requireRole(guard, anyCaller, handler)
}

/**
 * Creates a handler of Web requests that guards everything below the prefix. A route of the table,
 * found by its exact path, requires its role. Any other path or method requires a valid token
 * before the answer 404 or 405.
 *
 * @param otherwise handles the paths that are not below the prefix; by default they are 404
 * @throws {RouteTableError} lists every route with an invalid role, method or path
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
  const router = exactPathRouter(guard, prefix, routes)
  return (request) => {
    const { pathname } = new URL(request.url)
    if (!router.isGuarded(pathname)) {
      return otherwise?.(request) ?? respond(guard.refuse('not_found'))
    }
    const credentials = new WebRequestCredentials(request)
    return whenDecided(router.decide(request.method, pathname, credentials), (outcome) =>
      'handler' in outcome ? outcome.handler(request, outcome.caller) : respond(outcome),
    )
  }
}

/**
 * Converts a refusal into a Web response.
 * @example
 * const response = respond(guard.refuse('no_credentials'))
 */
export function respond({ status, headers, body }: Refusal): Response {
  return new Response(body, { status, headers })
}
