/** A route of an app, in the spelling of its framework. */
export type FoundRoute = {
  readonly method: string
  readonly path: string
  readonly isGuarded: boolean
  /** The name of middleware, which passes requests on unless it answers them. */
  readonly middleware?: string
}

/** A guard, and whether the app calls it for each request, even for another spelling of a path. */
export type PlacedGuard = { readonly path: string; readonly isEverywhere: boolean }

/** The error that lists routes without a guard, or says that a check has checked nothing. */
export class UnguardedRoutesError extends Error {
  readonly code = 'unguarded_routes'
  /** Method and path of each route, such as `GET /api/hi`. Empty if the check itself is wrong. */
  readonly routes: readonly string[]

  constructor(message: string, routes: readonly string[] = []) {
    super(message)
    this.name = 'UnguardedRoutesError'
    this.routes = routes
  }
}

/** From the global registry, because an app may load this package twice. */
const mark = Symbol.for('@greeting/guard')

/** Marks a function that lets only admitted requests pass, at and below a prefix of the path where it is mounted. */
export function markGuard<Handler extends object>(handler: Handler, prefix = ''): Handler {
  return Object.assign(handler, { [mark]: prefix })
}

/** The prefix of a marked function, or `undefined` for any other value. */
export function guardPrefixOf(handler: unknown): string | undefined {
  return (handler as { [mark]?: string } | undefined)?.[mark]
}

/** True if one of the guards is called before any route of the path below the prefix. */
export function areCovered(path: string, prefix: string, guards: readonly PlacedGuard[]): boolean {
  return guards.some(
    (guard) => isCovered(path, guard.path) || (guard.isEverywhere && isCovered(prefix, guard.path)),
  )
}

/**
 * Throws if a route below the prefix is neither guarded nor open on purpose.
 * @param open the routes below the prefix that are open on purpose
 * @returns path and name of middleware
 * @throws {UnguardedRoutesError} lists every other route, or says why the check is wrong
 */
export function assertNoneUnguarded(
  prefix: string,
  open: readonly string[],
  routes: readonly FoundRoute[],
): readonly string[] {
  const all = routes.filter(({ path }) => mayMatchBelow(path, prefix))
  const unread = all.flatMap(({ path, middleware }) =>
    middleware ? [`${path} ${middleware}`] : [],
  )
  const below = all.filter(({ middleware }) => middleware === undefined)
  if (below.length === 0) throw new UnguardedRoutesError(`No route is below ${prefix || '/'}`)
  const found = below.filter(({ isGuarded }) => !isGuarded)
  const lines = found.map(({ method, path }) => {
    const methods = new Set(found.filter((one) => one.path === path).map((one) => one.method))
    return `${methods.size > 6 ? 'ALL' : method} ${path}`
  })
  const unused = open.find((line) => !lines.includes(line))
  if (unused !== undefined) {
    throw new UnguardedRoutesError(
      `${unused} is no open route below ${prefix || '/'}: remove it from the list`,
    )
  }
  const unguarded = [...new Set(lines)].filter((line) => !open.includes(line))
  if (unguarded.length === 0) return unread
  throw new UnguardedRoutesError(
    `No guard is before these routes below ${prefix || '/'}:\n${unguarded.join('\n')}`,
    unguarded,
  )
}

/** Characters with a meaning in the paths of a framework, except the colon of a parameter. */
const special = /[*{}()[\]?+^$|\\]/

const segmentsOf = (path: string): readonly string[] => path.split('/').filter(Boolean)

/** True if a route may answer a path below the prefix. A wildcard and a regular expression may. */
function mayMatchBelow(path: string, prefix: string): boolean {
  const segments = segmentsOf(path)
  for (const [index, wanted] of segmentsOf(prefix).entries()) {
    const found = segments[index]
    if (found === undefined) return false
    if (special.test(found)) return true
    if (!found.includes(':') && found.toLowerCase() !== wanted.toLowerCase()) return false
  }
  return true
}

/** True if every path of the route is at or below the place of the guard. */
function isCovered(path: string, guardPath: string): boolean {
  const segments = segmentsOf(path)
  return segmentsOf(guardPath).every((wanted, index) => {
    const found = segments[index] ?? '*'
    if (special.test(found) || special.test(wanted)) return false
    return /^:\w+$/.test(wanted) || found === wanted
  })
}

/**
 * True if middleware may answer a path that should be guarded. Middleware above the prefix or of the whole app,
 * such as a body parser, counts only behind a guard that is not called for each spelling of a path.
 */
export function mayAnswer(path: string, prefix: string, guards: readonly PlacedGuard[]): boolean {
  const { length } = segmentsOf(path)
  if (length > 0 && length >= segmentsOf(prefix).length) return true
  return guards.some(
    (one) => !one.isEverywhere && (mayMatchBelow(one.path, prefix) || isCovered(prefix, one.path)),
  )
}
