import type {
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify'
import type { Caller } from '../caller.ts'
import { anyCaller, type Decision, type Guard, type Requirement } from '../guard.ts'
import { type Refusal, withHeader } from '../refusal.ts'
import { allowOf, judgeRoutes, type RouteTable } from '../route-table.ts'
import { NodePresented } from './node-presented.ts'

/** A request that was let in. */
export type GuardedRequest<Role extends string> = FastifyRequest & { readonly caller: Caller<Role> }

/** Answers a request that was let in: with what it returns, or through the reply. */
export type GuardedHandler<Role extends string> = (
  request: GuardedRequest<Role>,
  reply: FastifyReply,
) => unknown

/**
 * Makes a Fastify plugin in which everything below the prefix is guarded: the routes of the table
 * each by its role; any other path or method by a valid token, before it is told that there is
 * nothing. It asks in `onRequest`, before a body is read.
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
      const decision = guard.decide(new NodePresented(request.raw), role)
      if (decision instanceof Promise) void decision.then(answer)
      else answer(decision)
    }
  const notFound = admit(anyCaller, (reply) => send(reply, guard.refuse('not_found')))

  const below: FastifyPluginCallback = (app, _, done) => {
    app.decorateRequest('caller')
    for (const { method, path, role, handler } of table) {
      app.route({
        method,
        url: path.slice(prefix.length),
        onRequest: admit(role),
        handler: (request, reply) => handler(request as GuardedRequest<Role>, reply),
      })
    }
    for (const path of new Set(table.map(({ path }) => path))) {
      const methods = table.filter((route) => route.path === path).map(({ method }) => method)
      const allow = allowOf(methods)
      const notAllowed = (reply: FastifyReply) =>
        send(reply, withHeader(guard.refuse('method_not_allowed'), 'allow', allow))
      app.route({
        method: app.supportedMethods.filter((name) => !allow.split(', ').includes(name)),
        url: path.slice(prefix.length),
        onRequest: admit(anyCaller, notAllowed),
        handler: (_, reply) => notAllowed(reply),
      })
    }
    app.addHook('onRequest', (request, reply, next) => {
      if (request.is404) notFound.call(app, request, reply, next)
      else next()
    })
    app.setNotFoundHandler((_, reply) => send(reply, guard.refuse('not_found')))
    done()
  }
  return (app, _, done) => {
    app.register(below, { prefix })
    done()
  }
}

function send(reply: FastifyReply, { status, headers, body }: Refusal): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
