import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Caller } from '../caller.ts'
import type { Guard } from '../guard.ts'
import type { Refusal } from '../refusal.ts'
import { exactPathRouter, type RouteDecision } from '../routes/exact-path-router.ts'
import type { RouteTable } from '../routes/route-table.ts'
import { NodeRequestCredentials } from './node-request-credentials.ts'

/** Answers a request that was let in. */
export type GuardedHandler<Role extends string> = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller<Role>,
) => void

/**
 * Makes a listener for `node:http` in which everything below the prefix is guarded: the routes of
 * the table, found by their exact path, each by its role; anything else by a valid token, before it
 * is told that there is nothing.
 *
 * @param otherwise answers paths that are not below the prefix; by default there is nothing
 * @throws {RouteTableError} when a route states no role that the guard knows, or is misspelt
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
  const table = exactPathRouter(guard, prefix, routes)
  return (request, response) => {
    const path = pathOf(request.url ?? '')
    if (!table.isGuarded(path)) {
      if (otherwise !== undefined) otherwise(request, response)
      else sendRefusal(response, guard.refuse('not_found'))
      return
    }
    const answer = (outcome: RouteDecision<Role, GuardedHandler<Role>>) => {
      if ('handler' in outcome) outcome.handler(request, response, outcome.caller)
      else sendRefusal(response, outcome)
    }
    const outcome = table.decide(request.method ?? '', path, new NodeRequestCredentials(request))
    if (outcome instanceof Promise) void outcome.then(answer)
    else answer(outcome)
  }
}

/** Answers with the refusal. */
export function sendRefusal(
  response: Pick<ServerResponse, 'writeHead'>,
  { status, headers, body }: Refusal,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

/** The path of a request target, also where a proxy sends the whole URL (RFC 9112 section 3.2). */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target.split('?', 1)[0] ?? ''
  return URL.parse(target)?.pathname ?? target
}
