import {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import type { Caller } from '../caller.ts'
import { anyCaller, type Decision, type Guard, type Requirement } from '../guard.ts'
import { withHeader } from '../refusal.ts'
import { allowOf, judgeRoutes, type Method, type RouteTable } from '../routes/route-table.ts'
import { sendRefusal } from './node.ts'
import { NodeRequestCredentials } from './node-request-credentials.ts'

const verbs = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<Method, string>

/** What a guarded handler finds in `response.locals`. */
export type GuardedLocals<Role extends string> = { caller: Caller<Role> }

/** Answers a request that was let in. */
export type GuardedHandler<Role extends string> = (
  request: Request,
  response: Response<unknown, GuardedLocals<Role>>,
  next: NextFunction,
) => unknown

/**
 * Makes an Express router in which everything below the prefix is guarded: the routes of the table
 * each by its role; any other path or method by a valid token, before it is told that there is
 * nothing. Paths are compared by case, and with their slash at the end.
 *
 * Use it before any route of yours: Express asks routes in their order.
 *
 * @throws {RouteTableError} when a route states no role that the guard knows, or is misspelt
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
  const table = judgeRoutes(guard, prefix, routes)

  const admit =
    (role: Requirement<Role>, then: GuardedHandler<Role>): RequestHandler =>
    (request, response, next) => {
      const answer = (decision: Decision<Role>) => {
        if (decision.outcome === 'refused') return sendRefusal(response, decision)
        response.locals.caller = decision
        return then(request, response as Response<unknown, GuardedLocals<Role>>, next)
      }
      const decision = guard.decide(new NodeRequestCredentials(request), role)
      return decision instanceof Promise ? decision.then(answer) : answer(decision)
    }

  for (const { method, path, role, handler } of table) {
    router.route(path)[verbs[method]](admit(role, handler))
  }
  for (const path of new Set(table.map(({ path }) => path))) {
    const methods = table.filter((route) => route.path === path).map(({ method }) => method)
    router.all(
      path,
      admit(anyCaller, (_, response) => {
        const refusal = guard.refuse('method_not_allowed')
        sendRefusal(response, withHeader(refusal, 'allow', allowOf(methods)))
      }),
    )
  }
  // Routes added later are compared without case, as Express does by default: so must this be.
  const rest = Router({ caseSensitive: false })
  rest.use(
    prefix,
    admit(anyCaller, (_, response) => sendRefusal(response, guard.refuse('not_found'))),
  )
  return router.use(rest)
}
