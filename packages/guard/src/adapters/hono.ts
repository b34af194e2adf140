import { type Context, Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { H, RouterRoute } from 'hono/types'
import type { Caller } from '../caller.ts'
import { anyCaller, type Decision, type Guard } from '../guard.ts'
import { withHeader } from '../refusal.ts'
import { allowHeader, type Method, type RouteTable, validateRoutes } from '../routes/route-table.ts'
import { readRequestCredentials } from './hono-request-credentials.ts'
import { TieredRouter } from './tiered-router.ts'
import { respond } from './web.ts'

export { readRequestCredentials } from './hono-request-credentials.ts'

/** Handles an admitted request. */
export type GuardedHandler<Role extends string> = (
  context: Context,
  caller: Caller<Role>,
) => Response | Promise<Response>

/**
 * Creates a Hono app that guards everything below the prefix. A route of the table requires its role.
 * Any other path or method requires a valid token before the answer 404 or 405.
 *
 * Add open routes to the returned app. Below the prefix, later routes and middleware are not reached.
 * If another app mounts it with `route()`, it guards against the routes that are added afterwards.
 *
 * @throws {RouteTableError} lists every route with an invalid role, method or path
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
  for (const { method, path, role, handler } of validateRoutes(guard, prefix, routes)) {
    methodsByPath.add('ALL', path, method)
    // One handler for guard and route, so that Hono neither chains nor awaits.
    app.on(method, [path], (c) => {
      const decision = guard.decide(readRequestCredentials(c.req.raw, c.env), role)
      return decision instanceof Promise
        ? decision.then<Response>((resolved) => answer(c, resolved, handler))
        : answer(c, decision, handler)
    })
  }
  router.addTier()
  // A route, because Hono drops `notFound` of an app that is mounted.
  app.all(`${prefix}/*`, async (c) => {
    const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), anyCaller)
    if (decision.outcome === 'refused') return respond(decision)
    const methods = methodsByPath.match('ALL', c.req.path)[0].map(([method]) => method)
    if (methods.length === 0) return respond(guard.refuse('not_found'))
    return respond(withHeader(guard.refuse('method_not_allowed'), 'allow', allowHeader(methods)))
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
