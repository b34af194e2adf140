// Folder: The table of guarded routes, and its router.

import { anyCaller, type Guard, type RequiredRole } from '../guard.ts'

/** A route, and the role that it requires. */
export type GuardedRoute<Role extends string, Handler> = {
  /** A declared role of the guard, or `anyCaller`. */
  readonly role: RequiredRole<Role>
  readonly handler: Handler
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A method of a route. */
export type Method = (typeof methods)[number]

/**
 * Routes by method and path, such as `GET /hi`. A route for `GET` also answers `HEAD`. A method and a
 * space, such as `GET `, is the prefix itself, and `GET /` is the prefix and a slash.
 */
export type RouteTable<Role extends string, Handler> = {
  readonly [route: `${Method} /${string}`]: GuardedRoute<Role, Handler>
} & { readonly [prefix in `${Method} `]?: GuardedRoute<Role, Handler> }

/** A valid row of the table. */
export type ValidatedRoute<Role extends string, Handler> = GuardedRoute<Role, Handler> & {
  readonly method: Method
  readonly path: string
}

/** An invalid route table. The message lists every fault. */
export class RouteTableError extends TypeError {
  readonly code = 'route_table'
  /** One sentence for each fault. It begins with the route. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The route table of the guard is invalid:\n${faults.join('\n')}`)
    this.name = 'RouteTableError'
    this.faults = faults
  }
}

/**
 * Validates the routes at start, so that a route without a role is an error instead of an open route.
 *
 * @throws {RouteTableError} lists every invalid route
 */
export function validateRoutes<Role extends string, Handler>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<Role, Handler>,
): readonly ValidatedRoute<Role, Handler>[] {
  const roles: readonly unknown[] = [...guard.roles, anyCaller]
  const faults = isPrefix(prefix) ? [] : [`prefix ${prefix}: ${prefixRule}`]
  const validated: ValidatedRoute<Role, Handler>[] = []
  for (const [route, { role, handler }] of Object.entries(routes)) {
    const [, verb, path = ''] = /^([A-Z]+) ((?:\/[^?#]*)?)$/.exec(route) ?? []
    const method = methods.find((name) => name === verb)
    if (method === undefined) {
      faults.push(
        verb === 'OPTIONS'
          ? `${route}: OPTIONS has no token in a CORS preflight, so answer it before the guard`
          : `${route}: must be one of ${methods.join(', ')} and a path, such as GET /hi`,
      )
    }
    if (prefix + path === '') faults.push(`${route}: must be "${route}/" below an empty prefix`)
    if (!roles.includes(role)) {
      faults.push(`${route}: must require one of ${guard.roles.join(', ')}, or anyCaller`)
    }
    if (typeof handler !== 'function') faults.push(`${route}: must have a handler`)
    if (method !== undefined) validated.push({ method, path: prefix + path, role, handler })
  }
  if (faults.length > 0) throw new RouteTableError(faults)
  return validated
}

const prefixRule = 'must begin with a slash and not end with one'
const isPrefix = (prefix: string) => /^(\/[^/?#]+)*$/.test(prefix)

/**
 * Checks the arguments of middleware at start, so that a misspelt role is an error instead of a 403.
 *
 * @throws {TypeError} names the missing guard, the role and the roles of the guard, or the prefix
 */
export function checkRequirement<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<Role>,
  prefix = '',
): void {
  if (typeof guard?.decide !== 'function') {
    throw new TypeError(
      'requireRole and requireCaller need a guard: pass the result of createGuard',
    )
  }
  if (role !== anyCaller && !guard.roles.includes(role)) {
    const roles = guard.roles.join(', ')
    throw new TypeError(
      `The guard has no role ${String(role)}, but ${roles}. Use one of them, or add it to roles.`,
    )
  }
  if (!isPrefix(prefix)) throw new TypeError(`The prefix ${prefix} ${prefixRule}`)
}

/** Handles a decision at once if it is no promise, because a promise costs time in each request. */
export function whenDecided<Outcome extends object, Answer>(
  outcome: Outcome | Promise<Outcome>,
  answer: (outcome: Outcome) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  return outcome instanceof Promise ? outcome.then(answer) : answer(outcome)
}

/** The value of `Allow` for the methods of one path. */
export function allowHeader(methods: readonly Method[]): string {
  return methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ')
}
