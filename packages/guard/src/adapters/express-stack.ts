import {
  areCovered,
  assertNoneUnguarded,
  type FoundRoute,
  guardPrefixOf,
  mayAnswer,
  type PlacedGuard,
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
type StackOwner = {
  readonly stack?: readonly Layer[]
  readonly caseSensitive?: boolean
  readonly params?: object
}
type Paths = string | RegExp | readonly (string | RegExp)[]

/**
 * Checks that each route below the prefix is behind a guard: `requireRole`, `requireCaller` or a
 * guarded router. It is for a test. A handler that cannot be read counts as unguarded, and so does
 * one that may answer a spelling of a path for which Express calls no guard.
 *
 * @param app an app of Express 4 or 5, or a router
 * @param open the routes that are open on purpose, as the error lists them
 * @returns what was not read, and may answer or change the path: middleware of the whole app
 * @throws {UnguardedRoutesError} lists method and path of each route without a guard
 * @example
 * app.use(requireCaller(guard, '/api'))
 * app.get('/api/hi', (request, response) => response.send('Hi'))
 * assertGuarded(app, '/api')
 */
export function assertGuarded(
  app: object,
  prefix: string,
  open: readonly string[] = [],
): readonly string[] {
  const express4 = app as { readonly _router?: StackOwner; readonly lazyrouter?: unknown }
  // The member `router` of an Express 4 app throws.
  const router =
    express4.lazyrouter === undefined ? (app as { router?: StackOwner }).router : express4._router
  return assertNoneUnguarded(prefix, open, [...routesOf(router ?? app, '', prefix, [], [])])
}

/** @param guards the guards before this router, to which it adds its own */
function* routesOf(
  router: StackOwner,
  base: string,
  prefix: string,
  guards: PlacedGuard[],
  outerRouters: readonly StackOwner[],
): Generator<FoundRoute> {
  const { stack = [], caseSensitive = false, params = {} } = router
  const routers = [...outerRouters, router]
  const placed = stack.flatMap((layer) => mountsOf(layer).map((mount) => ({ layer, mount })))
  for (const { layer, mount } of placed) {
    const { handle, name, route } = layer
    const path = base + mount
    const isGuarded = areCovered(path, prefix, guards)
    const guardPrefix = guardPrefixOf(handle)
    // A function of `app.param` runs, and may answer, before the functions of its path.
    const names: readonly string[] = mount.match(/(?<=[:*<])\w+/g) ?? []
    const hasName = (one: string) => names.includes(one) || names.includes('parameter')
    if (Object.keys(params).some(hasName)) yield { method: 'PARAM', path, isGuarded }
    if (route !== undefined) {
      for (const method of new Set(route.stack.map((one) => one.method ?? 'all'))) {
        // The first function of a route decides, because an earlier one may answer.
        const first = route.stack.find((one) => (one.method ?? method) === method)
        const isFirst = guardPrefixOf(first?.handle) === ''
        yield { method: method.toUpperCase(), path: path || '/', isGuarded: isGuarded || isFirst }
      }
    } else if (guardPrefix !== undefined) {
      guards.push({ path: path + guardPrefix, isEverywhere: path === '' })
      const isTable = handle.stack !== undefined
      if (isTable) yield { method: 'ALL', path: `${path}${guardPrefix}/*`, isGuarded: true }
    } else if (handle.stack !== undefined && !routers.includes(handle)) {
      // Where the inner router compares without case, a guard with case misses what it answers.
      const seesAll = handle.caseSensitive || !caseSensitive
      const before = guards.filter((guard) => seesAll || areCovered(path, prefix, [guard]))
      yield* routesOf(handle, path, prefix, before, routers)
    } else if (handle.length < 4 && !['query', 'expressInit'].includes(name)) {
      // Static files and other apps are behind their path. A function without `next` answers all.
      const answers = ['mounted_app', 'serveStatic'].includes(name) || handle.length < 3
      const passes = !answers && !mayAnswer(path, prefix, guards)
      yield { method: 'ALL', path: `${path}/*`, isGuarded, ...(passes && { middleware: name }) }
    }
  }
}

function mountsOf({ route, rawPath, slash, regexp }: Layer): readonly string[] {
  const paths = route?.path ?? rawPath
  if (paths !== undefined) {
    return [paths].flat().map((path) =>
      typeof path === 'string'
        ? path.replace(/\/$/, '')
        : // A text without special characters would be a literal segment.
          String(path).replace(/^\/[\w.-]+\//, '/*$&'),
    )
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
