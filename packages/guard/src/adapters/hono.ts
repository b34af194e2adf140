import type { IncomingMessage } from 'node:http'
import { type Context, Hono } from 'hono'
import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import type { H, MiddlewareHandler, RouterRoute } from 'hono/types'
import type { RequestCredentials } from '../bearer-credentials.ts'
import type { Caller } from '../caller.ts'
import { anyCaller, type Guard, type RequiredRole } from '../guard.ts'
import { withHeader } from '../refusal.ts'
import { mayBeBelow } from '../routes/below-prefix.ts'
import {
  allowHeader,
  checkRequirement,
  type Method,
  type RouteTable,
  validateRoutes,
  whenDecided,
} from '../routes/route-table.ts'
import {
  areCovered,
  assertNoneUnguarded,
  type FoundRoute,
  guardPrefixOf,
  markGuard,
  mayAnswer,
  type PlacedGuard,
} from '../routes/unguarded-routes.ts'
import { NodeRequestCredentials, WebRequestCredentials } from './request-credentials.ts'
import { respond } from './web.ts'

/** Handles an admitted request. */
export type GuardedHandler<Role extends string> = (
  context: Context,
  caller: Caller<Role>,
) => Response | Promise<Response>

/** Middleware that types `c.get('caller')` for the handlers after it. */
export type GuardMiddleware<Role extends string> = MiddlewareHandler<{
  Variables: { caller: Caller<Role> }
}>

/**
 * Creates middleware that requires a role: before one route, a whole app, or all below a prefix. It does
 * not read the body. An admitted request continues with `c.get('caller')`.
 *
 * @param prefix requires the role at and below this path, in any spelling; by default, everywhere
 * @throws {TypeError} without a guard, or for a role that the guard does not have
 * @example
 * const app = new Hono()
 * app.use(requireRole(guard, 'CallHiApiRole', '/admin'))
 * app.get('/hi', requireRole(guard, 'CallHiApiRole'), (c) => c.text(c.get('caller').applicationId))
 */
export function requireRole<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<NoInfer<Role>>,
  prefix = '',
): GuardMiddleware<Role> {
  checkRequirement(guard, role, prefix)
  return markGuard<GuardMiddleware<Role>>(async (c, next) => {
    if (!isBelow(prefix, c)) return next()
    const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), role)
    if (decision.outcome === 'refused') return respond(decision)
    c.set('caller', decision)
    return next()
  }, prefix)
}

/** The prefix is below the path of `use` or `route()`, and the path of the request is the whole one. */
function isBelow(prefix: string, { req: { path, routePath } }: Context): boolean {
  const outer = routePath.endsWith('/*') ? routePath.slice(0, -2) : ''
  return prefix === '' || mayBeBelow(outer + prefix, path)
}

/**
 * Creates middleware that requires a valid token, with or without roles. Pass the prefix here and not to
 * `use`, because Hono compares one spelling of it only.
 *
 * @param prefix requires the token at and below this path, in any spelling; by default, everywhere
 * @throws {TypeError} without a guard
 * @example
 * const app = new Hono()
 * app.use(requireCaller(guard, '/api'))
 */
export function requireCaller<Role extends string>(
  guard: Guard<Role>,
  prefix = '',
): GuardMiddleware<Role> {
  return requireRole(guard, anyCaller, prefix)
}

/**
 * Checks that each route below the prefix is behind a guard: `requireRole`, `requireCaller` or a
 * guarded app. It is for a test. A handler that cannot be read counts as unguarded, and so does one
 * that may answer a spelling of a path for which Hono calls no guard.
 *
 * @param open the routes that are open on purpose, as the error lists them
 * @returns what was not read, and may answer: middleware of the whole app, and `notFound`
 * @throws {UnguardedRoutesError} lists method and path of each route without a guard
 * @example
 * const app = new Hono().use(requireCaller(guard, '/api')).get('/api/hi', (c) => c.text('Hi'))
 * assertGuarded(app, '/api')
 */
export function assertGuarded(
  app: Pick<Hono, 'routes'>,
  prefix: string,
  open: readonly string[] = [],
): readonly string[] {
  const guards: (PlacedGuard & { method: string; isExact: boolean })[] = []
  const found = app.routes.map(({ path, method, handler: routed }): FoundRoute => {
    // `route()` wraps the handlers of an app that has its own error handler.
    let handler = routed as typeof routed & { __COMPOSED_HANDLER?: H }
    while (handler.__COMPOSED_HANDLER !== undefined) handler = handler.__COMPOSED_HANDLER
    const isExact = !path.endsWith('/*')
    const base = isExact ? path : path.slice(0, -2)
    const own = guardPrefixOf(handler)
    const shown = isExact ? path : `${base}${own ?? ''}/*`
    if (own !== undefined) {
      guards.push({ path: base + own, method, isExact, isEverywhere: base === '' })
    }
    const before = guards.filter(
      (one) =>
        (one.method === 'ALL' || one.method === method) && (!one.isExact || one.path === path),
    )
    const isGuarded = before.some((one) => one.isExact) || areCovered(shown, prefix, before)
    // A handler of a route does not declare `next`.
    const isMiddleware =
      !isExact && own === undefined && handler.length > 1 && !mayAnswer(base, prefix, before)
    return { method, path: shown, isGuarded, ...(isMiddleware && { middleware: handler.name }) }
  })
  return [...assertNoneUnguarded(prefix, open, found), 'notFound']
}

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
    const authorized = (c: Context) =>
      whenDecided(guard.decide(readRequestCredentials(c.req.raw, c.env), role), (decision) =>
        decision.outcome === 'refused' ? respond(decision) : handler(c, decision),
      )
    app.on(method, [path], markGuard(authorized))
  }
  router.addTier()
  // A route, because Hono drops `notFound` of an app that is mounted.
  const missing = async (c: Context) => {
    const decision = await guard.decide(readRequestCredentials(c.req.raw, c.env), anyCaller)
    if (decision.outcome === 'refused') return respond(decision)
    const methods = methodsByPath.match('ALL', c.req.path)[0].map(([method]) => method)
    if (methods.length === 0) return respond(guard.refuse('not_found'))
    return respond(withHeader(guard.refuse('method_not_allowed'), 'allow', allowHeader(methods)))
  }
  app.all(`${prefix}/*`, markGuard(missing))
  const notFound = () => respond(guard.refuse('not_found'))
  // Hono does not find the route above for other spellings of the prefix.
  app.use(markGuard(async (c, next) => (isBelow(prefix, c) ? notFound() : next()), prefix))
  app.notFound(notFound)
  return app
}

/**
 * Reads the credentials of a request to a Hono app.
 *
 * On Node, `@hono/node-server` puts its own request into `env`. Only that request has repeated header
 * fields and the client certificate.
 *
 * @param env the bindings of Hono (`c.env`)
 * @example
 * const credentials = readRequestCredentials(c.req.raw, c.env)
 * const decision = await guard.decide(credentials, 'CallHiApiRole')
 */
export function readRequestCredentials(request: Request, env: unknown): RequestCredentials {
  const { incoming } = (env ?? {}) as { incoming?: IncomingMessage }
  return incoming === undefined
    ? new WebRequestCredentials(request)
    : new NodeRequestCredentials(incoming)
}

/**
 * A Hono router in tiers: a route is used only if no earlier tier has one for the path. So a path has
 * a single handler, and Hono calls a single handler without chaining.
 */
class TieredRouter<T> implements Router<T> {
  readonly name = 'TieredRouter'
  readonly #tiers: Router<T>[] = [defaultRouter<T>()]

  /** Starts a new last tier for the routes that follow. */
  addTier(): void {
    this.#tiers.push(defaultRouter<T>())
  }

  add(method: string, path: string, handler: T): void {
    this.#tiers.at(-1)?.add(method, path, handler)
  }

  match(method: string, path: string): Result<T> {
    let result: Result<T> = [[]]
    for (const tier of this.#tiers) {
      result = tier.match(method, path)
      if (result[0].length > 0) break
    }
    return result
  }
}

/** The default router of `new Hono()`. */
function defaultRouter<T>(): Router<T> {
  return new SmartRouter({ routers: [new RegExpRouter(), new TrieRouter()] })
}
