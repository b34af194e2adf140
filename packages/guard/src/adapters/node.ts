import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Caller } from '../caller.ts'
import { anyCaller, type Guard, type RequiredRole } from '../guard.ts'
import type { Refusal } from '../refusal.ts'
import { exactPathRouter } from '../routes/exact-path-router.ts'
import { checkRequirement, type RouteTable, whenDecided } from '../routes/route-table.ts'
import { NodeRequestCredentials } from './request-credentials.ts'

export { NodeRequestCredentials } from './request-credentials.ts'

/** Handles an admitted request. */
export type GuardedHandler<Role extends string> = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller<Role>,
) => void

/**
 * Creates a listener that requires a role before another listener.
 *
 * @throws {TypeError} without a guard, or for a role that the guard does not have
 * @example
 * createServer(requireRole(guard, 'CallHiApiRole', (request, response, caller) => {
 *   response.end(`Hi, ${caller.applicationId}`)
 * })).listen(3000)
 */
export function requireRole<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<NoInfer<Role>>,
  listener: GuardedHandler<Role>,
): RequestListener {
  checkRequirement(guard, role)
  return (request, response) => {
    whenDecided(guard.decide(new NodeRequestCredentials(request), role), (decision) => {
      if (decision.outcome === 'refused') sendRefusal(response, decision)
      else listener(request, response, decision)
    })
  }
}

/**
 * Creates a listener that requires a valid token, with or without roles, before another listener.
 *
 * @throws {TypeError} without a guard
 * @example
 * createServer(requireCaller(guard, (request, response) => response.end('Hi'))).listen(3000)
 */
export function requireCaller<Role extends string>(
  guard: Guard<Role>,
  listener: GuardedHandler<Role>,
): RequestListener {
  return requireRole(guard, anyCaller, listener)
}

/**
 * Creates a listener for `node:http` that guards everything below the prefix. A route of the table,
 * found by its exact path, requires its role. Any other path or method requires a valid token
 * before the answer 404 or 405.
 *
 * @param otherwise handles the paths that are not below the prefix; by default they are 404
 * @throws {RouteTableError} lists every route with an invalid role, method or path
 * @example
 * const listener = guardedListener(guard, '/api/v1', {
 *   'GET /hi': { role: 'CallHiApiRole', handler: (request, response) => response.end('Hi') },
 * })
 * createServer(listener).listen(3000)
 */
export function guardedListener<Role extends string>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<NoInfer<Role>, GuardedHandler<NoInfer<Role>>>,
  otherwise?: RequestListener,
): RequestListener {
  const router = exactPathRouter(guard, prefix, routes)
  return (request, response) => {
    const { url = '' } = request
    if (!router.isGuarded(url)) {
      if (otherwise !== undefined) otherwise(request, response)
      else sendRefusal(response, guard.refuse('not_found'))
      return
    }
    const credentials = new NodeRequestCredentials(request)
    whenDecided(router.decide(request.method ?? '', pathOf(url), credentials), (outcome) => {
      if ('handler' in outcome) outcome.handler(request, response, outcome.caller)
      else sendRefusal(response, outcome)
    })
  }
}

/**
 * Sends a refusal.
 * @example
 * if (decision.outcome === 'refused') sendRefusal(response, decision)
 */
export function sendRefusal(
  response: Pick<ServerResponse, 'writeHead'>,
  { status, headers, body }: Refusal,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

/** The path of a request target. A proxy may send the whole URL (RFC 9112 section 3.2). */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target.split('?', 1)[0] ?? ''
  return URL.parse(target)?.pathname ?? target
}
