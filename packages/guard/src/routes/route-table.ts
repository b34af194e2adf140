import { anyCaller, type Guard, type Requirement } from '../guard.ts'

/** A route, and what it requires. */
export type GuardedRoute<Role extends string, Handler> = {
  /** A role that the guard was declared with or, said in so many words, `anyCaller`. */
  readonly role: Requirement<Role>
  readonly handler: Handler
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A method that a route may take. */
export type Method = (typeof methods)[number]

/** Routes by method and path, such as `GET /hi`. A route for `GET` answers `HEAD` too. */
export type RouteTable<Role extends string, Handler> = {
  readonly [route: `${Method} /${string}`]: GuardedRoute<Role, Handler>
}

/** A row of the table, taken apart. */
export type JudgedRoute<Role extends string, Handler> = GuardedRoute<Role, Handler> & {
  readonly method: Method
  readonly path: string
}

/** Routes that cannot be served; the message tells every fault. */
export class RouteTableError extends TypeError {
  readonly code = 'route_table'
  /** One sentence for each fault, beginning with the route. */
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`These routes cannot be guarded:\n${faults.join('\n')}`)
    this.name = 'RouteTableError'
    this.faults = faults
  }
}

/**
 * Judges the routes at start: one without a stated role is refused there, not left open.
 *
 * @throws {RouteTableError} with all faults together
 */
export function judgeRoutes<Role extends string, Handler>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<Role, Handler>,
): readonly JudgedRoute<Role, Handler>[] {
  const roles: readonly unknown[] = [...guard.roles, anyCaller]
  const faults = /^(\/[^/?#]+)*$/.test(prefix)
    ? []
    : [`prefix ${prefix}: must begin with a slash and not end with one`]
  const judged: JudgedRoute<Role, Handler>[] = []
  for (const [route, { role, handler }] of Object.entries(routes)) {
    const [, verb, path = ''] = /^([A-Z]+) (\/[^?#]*)$/.exec(route) ?? []
    const method = methods.find((name) => name === verb)
    if (method === undefined) {
      faults.push(`${route}: must be one of ${methods.join(', ')} and a path, such as GET /hi`)
    }
    if (!roles.includes(role)) {
      faults.push(`${route}: must require one of ${guard.roles.join(', ')}, or anyCaller`)
    }
    if (typeof handler !== 'function') faults.push(`${route}: must have a handler`)
    if (method !== undefined) judged.push({ method, path: prefix + path, role, handler })
  }
  if (faults.length > 0) throw new RouteTableError(faults)
  return judged
}

/** The value of `Allow` for the methods of one path. */
export function allowOf(methods: readonly Method[]): string {
  return methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ')
}

/** True for the prefix itself and for everything below it. */
export function isBelow(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}

/**
 * True also for a path that another router may take for one below the prefix: percent-encoded, in
 * another case, or with doubled slashes, backslashes or dot segments.
 */
export function looksBelow(prefix: string, path: string): boolean {
  const decoded = path.replace(/%([2-7][0-9a-f])/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  // A second slash at the start would begin a host.
  const rooted = decoded.replace(/^[/\\]+/, '/')
  const { pathname } = URL.parse(rooted, 'http://localhost') ?? { pathname: rooted }
  return isBelow(prefix.toLowerCase(), pathname.replace(/\/{2,}/g, '/').toLowerCase())
}
