import type { RequestCredentials } from '../bearer-credentials.ts'
import { anyCaller, type Decision, type Guard } from '../guard.ts'
import { type Refusal, withHeader } from '../refusal.ts'
import {
  allowOf,
  isBelow,
  type JudgedRoute,
  judgeRoutes,
  looksBelow,
  type Method,
  type RouteTable,
} from './route-table.ts'

/** Routes that are found by their exact path, where no framework finds them. */
export type ExactPathRouter<Role extends string, Handler> = {
  /** True when the path is the guard's to answer. */
  readonly isGuarded: (path: string) => boolean
  /** What the request comes to: a handler and its caller, or a refusal. */
  readonly decide: (
    method: string,
    path: string,
    presented: RequestCredentials,
  ) => RouteDecision<Role, Handler> | Promise<RouteDecision<Role, Handler>>
}

/** A handler to call for an admitted caller, or a refusal to answer with. */
export type RouteDecision<Role extends string, Handler> =
  | { readonly handler: Handler; readonly caller: Extract<Decision<Role>, { outcome: 'admitted' }> }
  | Refusal

/** @throws {RouteTableError} when a route states no role that the guard knows, or is misspelt */
export function exactPathRouter<Role extends string, Handler>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<Role, Handler>,
): ExactPathRouter<Role, Handler> {
  const methodsByPath = new Map<string, Map<Method, JudgedRoute<Role, Handler>>>()
  for (const route of judgeRoutes(guard, prefix, routes)) {
    const methods = methodsByPath.get(route.path) ?? new Map()
    methodsByPath.set(route.path, methods.set(route.method, route))
  }

  function missing(path: string): Refusal {
    const methods = methodsByPath.get(path)
    if (methods === undefined) return guard.refuse('not_found')
    return withHeader(guard.refuse('method_not_allowed'), 'allow', allowOf([...methods.keys()]))
  }

  return {
    // What answers the other paths may decode them again.
    isGuarded: (path) => isBelow(prefix, path) || looksBelow(prefix, path),
    decide: (method, path, presented) => {
      const verb = method === 'HEAD' ? 'GET' : method
      // What is no method of ours is in no map.
      const route = methodsByPath.get(path)?.get(verb as Method)
      const conclude = (decision: Decision<Role>): RouteDecision<Role, Handler> => {
        if (decision.outcome === 'refused') return decision
        return route === undefined ? missing(path) : { handler: route.handler, caller: decision }
      }
      const decision = guard.decide(presented, route?.role ?? anyCaller)
      return decision instanceof Promise ? decision.then(conclude) : conclude(decision)
    },
  }
}
