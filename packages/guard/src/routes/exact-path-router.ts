import type { RequestCredentials } from '../bearer-credentials.ts'
import { anyCaller, type Decision, type Guard } from '../guard.ts'
import { type Refusal, withHeader } from '../refusal.ts'
import { mayBeBelow } from './below-prefix.ts'
import {
  allowHeader,
  type Method,
  type RouteTable,
  type ValidatedRoute,
  validateRoutes,
  whenDecided,
} from './route-table.ts'

/** Finds routes by their exact path, for servers without a router. */
export type ExactPathRouter<Role extends string, Handler> = {
  /** True if the path or URL is guarded. */
  readonly isGuarded: (target: string) => boolean
  /** Returns the handler and the caller, or a refusal. */
  readonly decide: (
    method: string,
    path: string,
    credentials: RequestCredentials,
  ) => RouteDecision<Role, Handler> | Promise<RouteDecision<Role, Handler>>
}

/** The handler for an admitted caller, or the refusal to send. */
type RouteDecision<Role extends string, Handler> =
  | { readonly handler: Handler; readonly caller: Extract<Decision<Role>, { outcome: 'admitted' }> }
  | Refusal

/**
 * Creates a router that finds routes by their exact path.
 * @throws {RouteTableError} lists every route with an invalid role, method or path
 */
export function exactPathRouter<Role extends string, Handler>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<Role, Handler>,
): ExactPathRouter<Role, Handler> {
  const methodsByPath = new Map<string, Map<Method, ValidatedRoute<Role, Handler>>>()
  for (const route of validateRoutes(guard, prefix, routes)) {
    const methods = methodsByPath.get(route.path) ?? new Map()
    methodsByPath.set(route.path, methods.set(route.method, route))
  }

  function refuseMissing(path: string): Refusal {
    const methods = methodsByPath.get(path)
    if (methods === undefined) return guard.refuse('not_found')
    return withHeader(guard.refuse('method_not_allowed'), 'allow', allowHeader([...methods.keys()]))
  }

  return {
    isGuarded: (target) => mayBeBelow(prefix, target),
    decide: (method, path, credentials) => {
      const verb = method === 'HEAD' ? 'GET' : method
      // An unknown method is in no map.
      const route = methodsByPath.get(path)?.get(verb as Method)
      return whenDecided(
        guard.decide(credentials, route?.role ?? anyCaller),
        (decision): RouteDecision<Role, Handler> => {
          if (decision.outcome === 'refused') return decision
          if (route === undefined) return refuseMissing(path)
          return { handler: route.handler, caller: decision }
        },
      )
    },
  }
}
