import {
  assertNoneUnguarded,
  type FoundRoute,
  guardPrefixOf,
  isCovered,
  mayAnswer,
} from '../routes/unguarded-routes.ts'

/** The members of Express 4 and 5 that tell where a function is mounted. */
type Layer = {
  readonly handle: StackOwner & { readonly length: number }
  readonly name: string
  readonly method?: string
  readonly route?: { readonly path: Paths; readonly stack: readonly Layer[] }
  /** Of Express 5, since its router 2.3. */
  readonly rawPath?: Paths
  /** Of Express 5: true at the path `/`. */
  readonly slash?: boolean
  /** Of Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean }
}
type StackOwner = { readonly stack?: readonly Layer[]; readonly caseSensitive?: boolean }
type Paths = string | RegExp | readonly (string | RegExp)[]

/** A path, and whether a router on its way compares with or without case. */
type Place = { readonly path: string; readonly withCase: boolean; readonly withoutCase: boolean }

/**
 * Checks that a guard is before each route below the prefix: `requireRole`, `requireCaller` or a
 * guarded router. It is for a test. An app or a path that cannot be read counts as unguarded.
 *
 * @param app an app of Express 4 or 5, or a router
 * @param open the routes that are open on purpose, as the error lists them
 * @throws {UnguardedRoutesError} lists method and path of each route without a guard
 * @example
 * app.use('/api', requireCaller(guard))
 * app.get('/api/hi', (request, response) => response.send('Hi'))
 * assertGuarded(app, '/api')
 */
export function assertGuarded(app: object, prefix: string, open: readonly string[] = []): void {
  const express4 = app as { readonly _router?: StackOwner; readonly lazyrouter?: unknown }
  // The member `router` of an Express 4 app throws.
  const router =
    express4.lazyrouter === undefined ? (app as { router?: StackOwner }).router : express4._router
  const root = { path: '', withCase: false, withoutCase: false }
  assertNoneUnguarded(prefix, open, [...routesOf(router ?? app, root, prefix, [], [])])
}

function* routesOf(
  router: StackOwner,
  base: Place,
  prefix: string,
  outerGuards: readonly Place[],
  outerRouters: readonly StackOwner[],
): Generator<FoundRoute> {
  const { stack = [], caseSensitive = false } = router
  const routers = [...outerRouters, router]
  const guards = [...outerGuards]
  const placed = stack.flatMap((layer) => mountsOf(layer).map((mount) => ({ layer, mount })))
  for (const { layer, mount } of placed) {
    const { handle, name, route } = layer
    const place = {
      path: `${base.path}${mount}`,
      withCase: base.withCase || caseSensitive,
      withoutCase: base.withoutCase || !caseSensitive,
    }
    const { path } = place
    const isGuarded = guards.some((guard) => isBefore(guard, place, prefix))
    const guardPrefix = guardPrefixOf(handle)
    if (route !== undefined) {
      yield* methodsOf(route.stack, path || '/', isGuarded)
    } else if (guardPrefix !== undefined) {
      guards.push({ ...place, path: path + guardPrefix })
      const isTable = handle.stack !== undefined
      if (isTable) yield { methods: ['ALL'], path: `${path}${guardPrefix}/*`, isGuarded: true }
    } else if (handle.stack !== undefined && !routers.includes(handle)) {
      yield* routesOf(handle, place, prefix, guards, routers)
    } else if (handle.length < 4 && (mayAnswer(path, prefix) || name === 'mounted_app')) {
      yield { methods: ['ALL'], path: `${path}/*`, isGuarded }
    }
  }
}

/** The first function of a route decides, because an earlier one may answer. */
function* methodsOf(
  stack: readonly Layer[],
  path: string,
  isRouteGuarded: boolean,
): Generator<FoundRoute> {
  const methods = [...new Set(stack.map(({ method }) => method ?? 'all'))]
  const first = (name: string) => stack.find(({ method = name }) => method === name)
  for (const isGuarded of [true, false]) {
    const found = methods.filter(
      (name) => (isRouteGuarded || guardPrefixOf(first(name)?.handle) !== undefined) === isGuarded,
    )
    if (found.length > 0) {
      yield { methods: found.map((name) => name.toUpperCase()), path, isGuarded }
    }
  }
}

function isBefore(guard: Place, place: Place, prefix: string): boolean {
  if (guard.path !== '' && guard.withCase && place.withoutCase) return false
  return isCovered(place.path, guard.path) || isCovered(prefix, guard.path)
}

function mountsOf({ route, rawPath, slash, regexp }: Layer): readonly string[] {
  const paths = route?.path ?? rawPath
  if (paths !== undefined) {
    return [paths]
      .flat()
      .map((path) => (typeof path === 'string' ? path.replace(/\/$/, '') : String(path)))
  }
  if (slash || regexp?.fast_slash) return ['']
  if (regexp === undefined) return ['/*']
  return regexp.source.split('|^').map((source) => {
    const [, path] = /^\^?(.*)\\\/\?\(\?=\\\/\|\$\)$/.exec(source) ?? []
    // A regular expression of the app, which may match more than it says.
    if (path === undefined || !regexp.source.startsWith('^')) return `/*${source}`
    return path
      .replace(/\(\?:\\\/\(\[\^\\?\/\]\+\?\)\)|\\\/\(\?:\(\[\^\\?\/\]\+\?\)\)/g, '/:parameter')
      .replaceAll('\\/', '/')
      .replace(/\\([.-])/g, '$1')
  })
}
