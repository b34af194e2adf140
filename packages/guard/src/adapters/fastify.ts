import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  FastifyRouterOptions,
  onRequestHookHandler,
  RawServerDefault,
} from 'fastify'
import type { Caller } from '../caller.ts'
import { anyCaller, type Guard, type RequiredRole } from '../guard.ts'
import { type Refusal, withHeader } from '../refusal.ts'
import { mayBeBelow } from '../routes/below-prefix.ts'
import {
  allowHeader,
  checkRequirement,
  type Method,
  type RouteTable,
  RouteTableError,
  validateRoutes,
  whenDecided,
} from '../routes/route-table.ts'
import { areCovered, assertNoneUnguarded, type FoundRoute } from '../routes/unguarded-routes.ts'
import { NodeRequestCredentials } from './request-credentials.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller that a guard admitted, or `undefined` where no guard is before the route. */
    readonly caller?: Caller
  }
}

/** An admitted request, with its caller. */
export type GuardedRequest<Role extends string> = FastifyRequest & { readonly caller: Caller<Role> }

/** Handles an admitted request. It returns the response, or uses the reply. */
export type GuardedHandler<Role extends string> = (
  request: GuardedRequest<Role>,
  reply: FastifyReply,
) => unknown

/** `printRoutes` lists hooks, so this name, perhaps with a prefix, marks the hooks of a guard. */
const hookName = 'greetingGuard'

/**
 * Creates a hook that requires a role, for `onRequest` or `preHandler` of one route or one instance.
 * With `onRequest`, the body is not read before. An admitted request continues with `request.caller`.
 *
 * @throws {TypeError} without a guard, or for a role that the guard does not have
 * @example
 * app.get('/hi', { onRequest: requireRole(guard, 'CallHiApiRole') }, (request) => {
 *   return `Hi, ${request.caller?.applicationId}`
 * })
 */
export function requireRole<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<NoInfer<Role>>,
): onRequestHookHandler {
  return hookFor(guard, role)
}

/**
 * Creates a hook that requires a valid token, with or without roles.
 *
 * @throws {TypeError} without a guard
 * @example
 * app.addHook('onRequest', requireCaller(guard))
 */
export function requireCaller<Role extends string>(guard: Guard<Role>): onRequestHookHandler {
  return requireRole(guard, anyCaller)
}

/**
 * Creates a plugin that guards every route of the instance that registers it, and of its children.
 *
 * @param role a role of the guard, or `anyCaller`
 * @throws {TypeError} without a guard, or for a role that the guard does not have
 * @example
 * app.register(guardedScope(guard, 'CallHiApiRole'))
 */
export function guardedScope<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<NoInfer<Role>>,
): FastifyPluginCallback {
  const hook = requireRole(guard, role)
  const plugin: FastifyPluginCallback = (app, _, done) => {
    if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller')
    app.addHook('onRequest', hook)
    done()
  }
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

/** Continues for an admitted caller, or sends the final answer if there is one. */
function hookFor<Role extends string>(
  guard: Guard<Role>,
  role: RequiredRole<Role>,
  sendFinal?: (reply: FastifyReply) => void,
): onRequestHookHandler {
  checkRequirement(guard, role)
  const hook: onRequestHookHandler = (request, reply, done) => {
    whenDecided(guard.decide(new NodeRequestCredentials(request.raw), role), (decision) => {
      if (decision.outcome === 'refused') return send(reply, decision)
      if (sendFinal !== undefined) return sendFinal(reply)
      Object.assign(request, { caller: decision })
      done()
    })
  }
  return Object.defineProperty(hook, 'name', { value: hookName })
}

/** Marks the instances whose routes have the guard already. */
const guarded = Symbol('guarded')

/** The guarded prefixes of each server. */
const prefixesOf = new WeakMap<object, Set<string>>()

/** Equal for paths that Fastify takes for one route with its options. */
function routeKey({ initialConfig }: FastifyInstance, path: string): string {
  const { routerOptions } = initialConfig as {
    routerOptions?: FastifyRouterOptions<RawServerDefault>
  }
  const options = { ...initialConfig, ...routerOptions }
  let key = path.replace(/:\w+/g, ':')
  if (options.ignoreDuplicateSlashes) key = key.replace(/\/+/g, '/')
  if (options.ignoreTrailingSlash) key = key.replace(/\/$/, '')
  return options.caseSensitive === false ? key.toLowerCase() : key
}

/**
 * Creates a Fastify plugin that guards everything below the prefix. A route of the table requires its
 * role. Any other path or method requires a valid token before the answer 404 or 405. The guard runs
 * in `onRequest`, before the body is read.
 *
 * Register it on the root instance: it guards against routes of that instance and its children.
 *
 * @throws {RouteTableError} lists every route with an invalid role, method or path
 * @example
 * app.register(guardedRoutes(guard, '/api/v1', {
 *   'GET /hi': { role: 'CallHiApiRole', handler: () => 'Hi' },
 * }))
 */
export function guardedRoutes<Role extends string>(
  guard: Guard<Role>,
  prefix: string,
  routes: RouteTable<NoInfer<Role>, GuardedHandler<NoInfer<Role>>>,
): FastifyPluginCallback {
  const table = validateRoutes(guard, prefix, routes)

  const notFound = hookFor(guard, anyCaller, (reply) => send(reply, guard.refuse('not_found')))

  const guardedPaths: FastifyPluginAsync = async (app) => {
    const prefixes = prefixesOf.get(app.server) ?? new Set()
    const key = routeKey(app, app.prefix)
    if (prefixes.has(key)) {
      throw new RouteTableError([`prefix ${app.prefix}: is in use by other guarded routes already`])
    }
    prefixesOf.set(app.server, prefixes.add(key))
    app.decorate(guarded, true)
    if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller')
    const rows = new Map<string, { url: string; methods: Method[] }>()
    const rowOf = (url: string) => {
      const row = rows.get(routeKey(app, url)) ?? { url, methods: [] }
      rows.set(routeKey(app, url), row)
      return row
    }
    // The first rows answer other paths, before a route such as `/*` of the app does.
    for (const url of [app.prefix === '' ? '/' : '', '/', '/*']) rowOf(url)
    for (const { method, path, role, handler } of table) {
      const url = path.slice(prefix.length)
      const row = rowOf(url)
      if (row.methods.includes(method)) {
        const same = `${method} ${url}: is the same route for Fastify as ${method} ${row.url}`
        throw new RouteTableError([same])
      }
      row.methods.push(method)
      app.route({
        method,
        url,
        prefixTrailingSlash: 'slash',
        onRequest: hookFor(guard, role),
        handler: (request, reply) => handler(request as GuardedRequest<Role>, reply),
      })
    }
    for (const { url, methods } of rows.values()) {
      const allow = allowHeader(methods)
      const missing = (reply: FastifyReply) => {
        if (methods.length === 0) return send(reply, guard.refuse('not_found'))
        return send(reply, withHeader(guard.refuse('method_not_allowed'), 'allow', allow))
      }
      app.route({
        method: app.supportedMethods.filter((name) => !allow.split(', ').includes(name)),
        url,
        prefixTrailingSlash: 'slash',
        onRequest: hookFor(guard, anyCaller, missing),
        handler: (_, reply) => missing(reply),
      })
    }
    app.addHook('onRequest', (request, reply, next) => {
      if (request.is404) notFound.call(app, request, reply, next)
      else next()
    })
    app.setNotFoundHandler((_, reply) => send(reply, guard.refuse('not_found')))
  }
  const plugin: FastifyPluginAsync<{ prefix?: string }> = async (app, { prefix: outer = '' }) => {
    let fullPrefix = ''
    const hook: onRequestHookHandler = function (request, reply, next) {
      if (guarded in this) return next()
      const { routeOptions, url, originalUrl } = request
      // A route with a wildcard, and a handler of unknown paths, may resolve the path again.
      const targets = [routeOptions.url ?? url, url, originalUrl]
      if (targets.some((one) => mayBeBelow(fullPrefix, one)))
        notFound.call(this, request, reply, next)
      else next()
    }
    app.register(
      async (instance) => {
        fullPrefix = instance.prefix
        Object.defineProperty(hook, 'name', { value: `${hookName} ${fullPrefix}` })
        await guardedPaths(instance, {})
      },
      { prefix: outer.replace(/\/$/, '') + prefix },
    )
    app.addHook('onRequest', hook)
  }
  // The hook must apply to the routes of the instance that registers the plugin.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

/**
 * Checks that each route below the prefix is behind a guard: `requireRole`, `requireCaller`,
 * `guardedScope` or guarded routes. It is for a test, after `app.ready()`. A handler of unknown
 * paths counts as a route for every path and method.
 *
 * @param open the routes that are open on purpose, as the error lists them
 * @throws {UnguardedRoutesError} lists method and path of each route without a guard
 * @example
 * app.register(guardedScope(guard, 'CallHiApiRole'))
 * app.get('/api/hi', () => 'Hi')
 * await app.ready()
 * assertGuarded(app, '/api')
 */
export function assertGuarded(
  app: Pick<FastifyInstance, 'printRoutes'>,
  prefix: string,
  open: readonly string[] = [],
): void {
  const routes = routesIn(app.printRoutes({ includeHooks: true }), prefix)
  assertNoneUnguarded(prefix, open, [...routes, ...unknownPathsOf(app, prefix)])
}

/** Reads the tree of `printRoutes`. Each line has a part of a path, more methods of it, or hooks. */
function routesIn(tree: string, prefix: string): readonly FoundRoute[] {
  const routes: FoundRoute[] = []
  const parts: string[] = []
  let ofLine: { isGuarded: boolean; method: string; path: string }[] = []
  for (const line of tree.split('\n')) {
    const start = Math.max(0, line.search(/[^│ ]/))
    const isPart = /^[├└]── /.test(line.slice(start, start + 4))
    const text = line.slice(isPart ? start + 4 : start)
    if (/^• \((onRequest|preParsing|preValidation|preHandler)\) /.test(text)) {
      for (const route of ofLine) route.isGuarded ||= isGuardedBy(text, route.path, prefix)
      continue
    }
    const { name = text, methods } =
      /^(?<name>.*) \((?<methods>[A-Z-]+(?:, [A-Z-]+)*)\)(?: \{.*\})?$/.exec(text)?.groups ?? {}
    if (isPart) parts.splice(start / 4, Number.POSITIVE_INFINITY, name)
    if (methods === undefined) continue
    const path = parts.join('').replace('(empty root node)', '')
    ofLine = methods.split(', ').map((method) => ({ method, path, isGuarded: false }))
    routes.push(...ofLine)
  }
  return routes
}

/** Reads the names of hooks, each in quotes. */
function isGuardedBy(hooks: string, path: string, prefix: string): boolean {
  const guards = [...hooks.matchAll(/"(?:bound )?greetingGuard ?([^"]*)\(\)"/g)]
  return areCovered(
    path,
    prefix,
    guards.map(([, below = '']) => ({ path: below, isEverywhere: true })),
  )
}

/** The handlers of unknown paths, which `printRoutes` leaves out: any may answer, but the default one. */
function unknownPathsOf(app: object, prefix: string): readonly FoundRoute[] {
  type Store = { handler: { name: string }; onRequest: readonly { name: string }[] | null }
  type Router = { router: { routes: readonly { path: string; store: Store }[] } }
  const symbols = Object.getOwnPropertySymbols(app) as (keyof typeof app)[]
  const key = symbols.find((one) => String(one) === 'Symbol(fastify.404)')
  // A version of Fastify that does not tell may have such a handler.
  if (key === undefined) return [{ method: 'ALL', path: '/*', isGuarded: false }]
  return (app[key] as Router).router.routes
    .filter(({ path, store }) => path.endsWith('*') && store.handler.name !== 'basic404')
    .map(({ path, store: { onRequest } }) => {
      const hooks = onRequest?.map(({ name }) => `"${name}()"`).join() ?? ''
      return { method: 'ALL', path, isGuarded: isGuardedBy(hooks, path, prefix) }
    })
}

function send(reply: FastifyReply, { status, headers, body }: Refusal): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
