import type { IncomingMessage } from 'node:http'
import { type Context, Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { H, RouterRoute } from 'hono/types'
import type { RequestCredentials } from '../bearer-credentials.ts'
import type { Caller } from '../caller.ts'
import { anyCaller, type Decision, type Guard } from '../guard.ts'
import { withHeader } from '../refusal.ts'
import { allowOf, judgeRoutes, type Method, type RouteTable } from '../routes/route-table.ts'
import { NodeRequestCredentials } from './node-request-credentials.ts'
import { TieredRouter } from './tiered-router.ts'
import { respond } from './web.ts'
import { WebRequestCredentials } from './web-request-credentials.ts'

/** Answers a request that was let in. */
export type GuardedHandler<Role extends string> = (
  context: Context,
  caller: Caller<Role>,
) => Response | Promise<Response>

/**
 * Makes a Hono app in which everything below the prefix is guarded: the routes of the table each by
 * its role; any other path or method by a valid token, before it is told that there is nothing.
 *
 * Open routes are added to the app that is returned. One below the prefix is never reached, and no
 * middleware that is added runs there. Mounted in another app by `route()`, it guards against the
 * routes that are added after it.
 *
 * @throws {RouteTableError} when a route states no role that the guard knows, or is misspelt
 * @example
 * const app = guardedApp(guard, '/api/v1', {
 *   'GET /hi': { role: 'CallHiApiRole', handler: (c) => c.text('Hi') },
 * })
 */
export function guardedApp<Role extends string>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<NoInfer<Role>, GuardedHandler<NoInfer<Role>>>,
): Hono {
  const router = new TieredRouter<[H, RouterRoute]>()
  const app = new Hono({ router })
  const methodsByPath = new TrieRouter<Method>()
  for (const { method, path, role, handler } of judgeRoutes(guard, prefix, routes)) {
    methodsByPath.add('ALL', path, method)
    // One handler for guard and route together: Hono then neither chains nor waits.
    app.on(method, [path], (c) => {
      const decision = guard.decide(presentedBy(c), role)
      return decision instanceof Promise
        ? decision.then<Response>((late) => answer(c, late, handler))
        : answer(c, decision, handler)
    })
  }
  router.addTier()
  // A route, because the answer for what is not found is lost when the app is mounted.
  app.all(`${prefix}/*`, async (c) => {
    const decision = await guard.decide(presentedBy(c), anyCaller)
    if (decision.outcome === 'refused') return respond(decision)
    const methods = methodsByPath.match('ALL', c.req.path)[0].map(([method]) => method)
    if (methods.length === 0) return respond(guard.refuse('not_found'))
    return respond(withHeader(guard.refuse('method_not_allowed'), 'allow', allowOf(methods)))
  })
  app.notFound(() => respond(guard.refuse('not_found')))
  return app
}

function answer<Role extends string>(
  c: Context,
  decision: Decision<Role>,
  handler: GuardedHandler<Role>,
): Response | Promise<Response> {
  return decision.outcome === 'refused' ? respond(decision) : handler(c, decision)
}

function presentedBy(c: Context): RequestCredentials {
  // On Node the server hands over its own request, which knows of repeated fields and of TLS.
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
  return incoming === undefined
    ? new WebRequestCredentials(c.req.raw)
    : new NodeRequestCredentials(incoming)
}
