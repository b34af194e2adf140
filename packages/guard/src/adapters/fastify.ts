import type {
  FastifyPluginAsync,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify'
import type { Caller } from '../caller.ts'
import { anyCaller, type Decision, type Guard, type RequiredRole } from '../guard.ts'
import { type Refusal, withHeader } from '../refusal.ts'
import {
  allowHeader,
  type Method,
  mayBeBelow,
  type RouteTable,
  validateRoutes,
} from '../routes/route-table.ts'
import { NodeRequestCredentials } from './request-credentials.ts'

/** An admitted request. */
export type GuardedRequest<Role extends string> = FastifyRequest & { readonly caller: Caller<Role> }

/** Handles an admitted request: returns the answer, or uses the reply. */
export type GuardedHandler<Role extends string> = (
  request: GuardedRequest<Role>,
  reply: FastifyReply,
) => unknown

/** Marks the instances whose routes have the guard already. */
const guarded = Symbol('guarded')

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

  /** Continues for an admitted caller, or sends the final answer if there is one. */
  const authorize =
    (role: RequiredRole<Role>, sendFinal?: (reply: FastifyReply) => void): onRequestHookHandler =>
    (request, reply, done) => {
      const answer = (decision: Decision<Role>) => {
        if (decision.outcome === 'refused') return send(reply, decision)
        if (sendFinal !== undefined) return sendFinal(reply)
        Object.assign(request, { caller: decision })
        done()
      }
      const decision = guard.decide(new NodeRequestCredentials(request.raw), role)
      if (decision instanceof Promise) void decision.then(answer)
      else answer(decision)
    }
  const notFound = authorize(anyCaller, (reply) => send(reply, guard.refuse('not_found')))

  const guardedPaths: FastifyPluginAsync = async (app) => {
    app.decorate(guarded, true)
    app.decorateRequest('caller')
    for (const { method, path, role, handler } of table) {
      app.route({
        method,
        url: path.slice(prefix.length),
        onRequest: authorize(role),
        handler: (request, reply) => handler(request as GuardedRequest<Role>, reply),
      })
    }
    // The first two rows answer other paths, before a route such as `/*` of the app does.
    const methodsByPath = new Map<string, Method[]>([
      ['/', []],
      ['/*', []],
    ])
    for (const { path, method } of table) {
      const url = path.slice(prefix.length)
      methodsByPath.set(url, [...(methodsByPath.get(url) ?? []), method])
    }
    for (const [url, methods] of methodsByPath) {
      const allow = allowHeader(methods)
      const missing = (reply: FastifyReply) => {
        if (methods.length === 0) return send(reply, guard.refuse('not_found'))
        return send(reply, withHeader(guard.refuse('method_not_allowed'), 'allow', allow))
      }
      app.route({
        method: app.supportedMethods.filter((name) => !allow.split(', ').includes(name)),
        url,
        onRequest: authorize(anyCaller, missing),
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
    app.register(
      async (instance) => {
        fullPrefix = instance.prefix
        await guardedPaths(instance, {})
      },
      { prefix: outer.replace(/\/$/, '') + prefix },
    )
    app.addHook('onRequest', function (request, reply, next) {
      if (guarded in this) return next()
      const { url } = request.routeOptions
      if (url === undefined || !mayBeBelow(fullPrefix, url)) next()
      else notFound.call(this, request, reply, next)
    })
  }
  // The hook must apply to the routes of the instance that registers the plugin.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

function send(reply: FastifyReply, { status, headers, body }: Refusal): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
