import {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import type { Caller } from '../caller.ts'
import { anyCaller, type Decision, type Guard, type RequiredRole } from '../guard.ts'
import { withHeader } from '../refusal.ts'
import { allowHeader, type Method, type RouteTable, validateRoutes } from '../routes/route-table.ts'
import { sendRefusal } from './node.ts'
import { NodeRequestCredentials } from './request-credentials.ts'

const verbs = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<Method, string>

/** The content of `response.locals` for a guarded handler. */
export type GuardedLocals<Role extends string> = { caller: Caller<Role> }

/** Handles an admitted request. */
export type GuardedHandler<Role extends string> = (
  request: Request,
  response: Response<unknown, GuardedLocals<Role>>,
  next: NextFunction,
) => unknown

/**
 * Creates an Express router that guards everything below the prefix. A route of the table requires
 * its role. Any other path or method requires a valid token before the answer 404 or 405. Case and a
 * slash at the end are significant.
 *
 * Use it before your own routes, because Express tries routes in their order.
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

  const authorize =
    (role: RequiredRole<Role>, handler: GuardedHandler<Role>): RequestHandler =>
    (request, response, next) => {
      const answer = (decision: Decision<Role>) => {
        if (decision.outcome === 'refused') return sendRefusal(response, decision)
        response.locals.caller = decision
        return handler(request, response as Response<unknown, GuardedLocals<Role>>, next)
      }
      const decision = guard.decide(new NodeRequestCredentials(request), role)
      return decision instanceof Promise ? decision.then(answer) : answer(decision)
    }

  for (const { method, path, role, handler } of table) {
    router.route(path)[verbs[method]](authorize(role, handler))
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
  // Express compares later routes without case by default, so this router must do the same.
  const rest = Router({ caseSensitive: false })
  rest.use(
    prefix,
    authorize(anyCaller, (_, response) => sendRefusal(response, guard.refuse('not_found'))),
  )
  return router.use(rest)
}
