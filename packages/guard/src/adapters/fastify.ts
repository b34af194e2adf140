import type {
  FastifyPluginAsync,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify'
import type { Caller } from '../caller.ts'
import { anyCaller, type Decision, type Guard, type Requirement } from '../guard.ts'
import { type Refusal, withHeader } from '../refusal.ts'
import {
  allowOf,
  judgeRoutes,
  looksBelow,
  type Method,
  type RouteTable,
} from '../routes/route-table.ts'
import { NodeRequestCredentials } from './node-request-credentials.ts'

/** A request that was let in. */
export type GuardedRequest<Role extends string> = FastifyRequest & { readonly caller: Caller<Role> }

/** Answers a request that was let in: with what it returns, or through the reply. */
export type GuardedHandler<Role extends string> = (
  request: GuardedRequest<Role>,
  reply: FastifyReply,
) => unknown

/** Marks the instances whose routes ask the guard themselves. */
const guarded = Symbol('guarded')

/**
 * Makes a Fastify plugin in which everything below the prefix is guarded: the routes of the table
 * each by its role; any other path or method by a valid token, before it is told that there is
 * nothing. It asks in `onRequest`, before a body is read.
 *
 * Register it on the root instance: it guards against routes of that instance and its children.
 *
 * @throws {RouteTableError} when a route states no role that the guard knows, or is misspelt
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
  const table = judgeRoutes(guard, prefix, routes)

  /** Lets a caller pass to what follows, or, where nothing follows, to this last answer. */
  const admit =
    (role: Requirement<Role>, last?: (reply: FastifyReply) => void): onRequestHookHandler =>
    (request, reply, done) => {
      const answer = (decision: Decision<Role>) => {
        if (decision.outcome === 'refused') return send(reply, decision)
        if (last !== undefined) return last(reply)
        Object.assign(request, { caller: decision })
        done()
      }
      const decision = guard.decide(new NodeRequestCredentials(request.raw), role)
      if (decision instanceof Promise) void decision.then(answer)
      else answer(decision)
    }
  const notFound = admit(anyCaller, (reply) => send(reply, guard.refuse('not_found')))

  const below: FastifyPluginAsync = async (app) => {
    app.decorate(guarded, true)
    app.decorateRequest('caller')
    for (const { method, path, role, handler } of table) {
      app.route({
        method,
        url: path.slice(prefix.length),
        onRequest: admit(role),
        handler: (request, reply) => handler(request as GuardedRequest<Role>, reply),
      })
    }
    // The first two rows answer what is not in the table, before a route such as `/*` does.
    const methodsByPath = new Map<string, Method[]>([
      ['/', []],
      ['/*', []],
    ])
    for (const { path, method } of table) {
      const url = path.slice(prefix.length)
      methodsByPath.set(url, [...(methodsByPath.get(url) ?? []), method])
    }
    for (const [url, methods] of methodsByPath) {
      const allow = allowOf(methods)
      const missing = (reply: FastifyReply) => {
        if (methods.length === 0) return send(reply, guard.refuse('not_found'))
        return send(reply, withHeader(guard.refuse('method_not_allowed'), 'allow', allow))
      }
      app.route({
        method: app.supportedMethods.filter((name) => !allow.split(', ').includes(name)),
        url,
        onRequest: admit(anyCaller, missing),
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
    let whole = ''
    app.register(
      async (instance) => {
        whole = instance.prefix
        await below(instance, {})
      },
      { prefix: outer.replace(/\/$/, '') + prefix },
    )
    app.addHook('onRequest', function (request, reply, next) {
      if (guarded in this) return next()
      const { url } = request.routeOptions
      if (url === undefined || !looksBelow(whole, url)) next()
      else notFound.call(this, request, reply, next)
    })
  }
  // The hook must reach the routes of the instance where the plugin is registered.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true })
}

function send(reply: FastifyReply, { status, headers, body }: Refusal): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
