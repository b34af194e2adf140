import {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
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
import { markGuard } from '../routes/unguarded-routes.ts'
import { sendRefusal } from './node.ts'
import { NodeRequestCredentials } from './request-credentials.ts'

export { assertGuarded } from './express-stack.ts'

const verbs = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<Method, string>

/** The properties that a guard sets on `response.locals` for the handlers after it. */
export type GuardedLocals<Role extends string> = { caller: Caller<Role> }

/** Middleware that types `response.locals.caller` for the handlers after it. */
export type GuardMiddleware<Role extends string> = <Params, Body, RequestBody, Query>(
  request: Request<Params, Body, RequestBody, Query>,
  response: Response<Body, GuardedLocals<Role>>,
  next: NextFunction,
) => void

/** Handles an admitted request. `next()` leaves the guarded router. */
export type GuardedHandler<Role extends string> = (
  request: Request,
  response: Response<unknown, GuardedLocals<Role>>,
  next: NextFunction,
) => unknown

/**
 * Creates middleware that requires a role: before one route, a whole app, or all below a prefix. It does
 * not read the body. An admitted request continues with `response.locals.caller`.
 *
 * @param prefix requires the role at and below this path, in any spelling; by default, everywhere
 * @throws {TypeError} without a guard, or for a role that the guard does not have
 * @example
 * app.use(requireRole(guard, 'CallHiApiRole', '/admin'))
 * app.get('/hi', requireRole(guard, 'CallHiApiRole'), (request, response) => {
 *   response.send(`Hi, ${response.locals.caller.applicationId}`)
 * })
 */
export function requireRole<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<NoInfer<Role>>,
  prefix = '',
): GuardMiddleware<Role> {
  checkRequirement(guard, role, prefix)
  return markGuard<GuardMiddleware<Role>>((request, response, next) => {
    if (!isBelow(prefix, request)) return next()
    whenDecided(guard.decide(new NodeRequestCredentials(request), role), (decision) => {
      if (decision.outcome === 'refused') return sendRefusal(response, decision)
      response.locals.caller = decision
      next()
    })
  }, prefix)
}

/** What is behind the guard may read either URL. */
const isBelow = (prefix: string, request: Pick<Request, 'url' | 'originalUrl' | 'baseUrl'>) =>
  prefix === '' ||
  mayBeBelow(prefix, request.url) ||
  (request.url !== request.originalUrl && mayBeBelow(request.baseUrl + prefix, request.originalUrl))

/**
 * Creates middleware that requires a valid token, with or without roles. Pass the prefix here and not to
 * `use`, because Express compares one spelling of it only.
 *
 * @param prefix requires the token at and below this path, in any spelling; by default, everywhere
 * @throws {TypeError} without a guard
 * @example
 * app.use(requireCaller(guard, '/api'))
 */
export function requireCaller<Role extends string>(
  guard: Guard<Role>,
  prefix = '',
): GuardMiddleware<Role> {
  return requireRole(guard, anyCaller, prefix)
}

/**
 * Creates an Express router that guards everything below the prefix. A route of the table requires
 * its role. Any other path or method requires a valid token before the answer 404 or 405. Case and a
 * slash at the end are significant.
 *
 * Use it before your own routes, and without a path, because Express tries routes in their order. A handler may be a
 * router, which is mounted at the prefix. A handler that calls `next()` leaves this router, so that a
 * later route of the app answers. Its caller has the role of the row.
 *
 * @throws {RouteTableError} lists every route with an invalid role, method or path
 * @example
 * app.use(guardedRouter(guard, '/api/v1', {
 *   'GET /hi': { role: 'CallHiApiRole', handler: (request, response) => response.send('Hi') },
 * }))
 */
export function guardedRouter<Role extends string>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<NoInfer<Role>, GuardedHandler<NoInfer<Role>>>,
): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const table = validateRoutes(guard, prefix, routes)

  const authorize = (role: RequiredRole<Role>, handler: GuardedHandler<Role>) => {
    const admit = requireRole(guard, role)
    return (
      request: Request,
      response: Response<unknown, GuardedLocals<Role>>,
      next: NextFunction,
    ) => {
      // `next()` alone would try the rows below, which answer 404 and 405.
      const leave: NextFunction = (fault?: unknown) =>
        next(!fault || fault === 'route' ? 'router' : fault)
      admit(request, response, () => {
        // Express 4 reads no promise, and no Express catches what is thrown after a wait for keys.
        try {
          const result = handler(request, response, leave) as
            | Partial<PromiseLike<unknown>>
            | undefined
          result?.then?.(undefined, (error) => next(errorFrom(error)))
        } catch (error) {
          next(errorFrom(error))
        }
      })
    }
  }

  for (const { method, path, role, handler } of table) {
    router.route(path)[verbs[method]](authorize(role, mounted(prefix, handler)))
  }
  for (const path of new Set(table.map(({ path }) => path))) {
    const methods = table.filter((route) => route.path === path).map(({ method }) => method)
    router.all(
      path,
      authorize(anyCaller, (_, response) => {
        const refusal = guard.refuse('method_not_allowed')
        sendRefusal(response, withHeader(refusal, 'allow', allowHeader(methods)))
      }),
    )
  }
  const missing = authorize(anyCaller, (_, response) =>
    sendRefusal(response, guard.refuse('not_found')),
  )
  router.use((request, response, next) =>
    isBelow(prefix, request) ? missing(request, response as never, next) : next(),
  )
  return markGuard(router, prefix)
}

/** Express continues as without an error for one that is empty. */
const errorFrom = (error: unknown) => error ?? new Error('The handler failed without an error')

/** A router or an app expects the path below the place where it is mounted. */
function mounted<Role extends string>(
  prefix: string,
  handler: GuardedHandler<Role>,
): GuardedHandler<Role> {
  if (!('handle' in handler)) return handler
  return Router().use(prefix || '/', handler as unknown as RequestHandler) as GuardedHandler<Role>
}
