import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { guardedRouter } from '../../src/adapters/express.ts'
import { guardedRoutes } from '../../src/adapters/fastify.ts'
import { guardedApp } from '../../src/adapters/hono.ts'
import { guardedListener } from '../../src/adapters/node.ts'
import { guardedFetch } from '../../src/adapters/web.ts'
import { anyCaller, type Guard } from '../../src/index.ts'
import type { Role } from '../token-factory.ts'

/** A running server with one framework and one adapter. */
export type Running = { readonly url: string; readonly stop: () => Promise<void> }

/**
 * The routes of each server: `/hi`, `/hello` and, for any caller, `/whoami`. With an origin, CORS
 * middleware is before the guard, where the framework has its place for it.
 */
type Start = (guard: Guard<Role>, origin?: string) => Promise<Running>

const prefix = '/api/v1'

/** Listens on a free port, unless the server listens already. */
export const running = async (server: Server): Promise<Running> => {
  if (!server.listening) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

export const serve = (listener: RequestListener) => running(createServer(listener))

/** As the package `cors` and its like for Fastify do it. */
const corsBefore =
  (origin: string) => (request: IncomingMessage, response: ServerResponse, next: () => void) => {
    response.setHeader('access-control-allow-origin', origin)
    if (request.method !== 'OPTIONS') return next()
    response.writeHead(204, { 'access-control-allow-headers': 'authorization' }).end()
  }

/** One server for each adapter, each with its real framework. */
export const servers: Readonly<Record<string, Start>> = {
  hono: (guard, origin) => {
    const guarded = guardedApp(guard, prefix, {
      'GET /hi': { role: 'CallHiApiRole', handler: (c) => c.text('Hi') },
      'GET /hello': { role: 'CallHelloApiRole', handler: (c) => c.text('Hello') },
      'GET /whoami': { role: anyCaller, handler: (c, caller) => c.text(caller.applicationId) },
    })
    const app = new Hono()
    if (origin !== undefined) app.use(cors({ origin, allowHeaders: ['authorization'] }))
    app.route('/', guarded).get('/', (c) => c.text('open'))
    return serve(getRequestListener(app.fetch))
  },

  express: (guard, origin) => {
    const app = express()
    if (origin !== undefined) app.use(corsBefore(origin))
    app.use(
      guardedRouter(guard, prefix, {
        'GET /hi': { role: 'CallHiApiRole', handler: (_, response) => response.send('Hi') },
        'GET /hello': {
          role: 'CallHelloApiRole',
          handler: (_, response) => response.send('Hello'),
        },
        'GET /whoami': {
          role: anyCaller,
          handler: (_, response) => response.send(response.locals.caller.applicationId),
        },
      }),
    )
    app.get('/', (_, response) => {
      response.send('open')
    })
    return serve(app)
  },

  fastify: async (guard, origin) => {
    const app = fastify()
    if (origin !== undefined) {
      const handle = corsBefore(origin)
      app.addHook('onRequest', (request, reply, done) => handle(request.raw, reply.raw, done))
    }
    app.register(
      guardedRoutes(guard, prefix, {
        'GET /hi': { role: 'CallHiApiRole', handler: () => 'Hi' },
        'GET /hello': { role: 'CallHelloApiRole', handler: () => 'Hello' },
        'GET /whoami': { role: anyCaller, handler: (request) => request.caller.applicationId },
      }),
    )
    app.get('/', () => 'open')
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { ...(await running(app.server)), stop: () => app.close() }
  },

  node: (guard, origin) => {
    const listener = guardedListener(
      guard,
      prefix,
      {
        'GET /hi': { role: 'CallHiApiRole', handler: (_, response) => response.end('Hi') },
        'GET /hello': {
          role: 'CallHelloApiRole',
          handler: (_, response) => response.end('Hello'),
        },
        'GET /whoami': {
          role: anyCaller,
          handler: (_, response, caller) => response.end(caller.applicationId),
        },
      },
      (request, response) => {
        response.writeHead(request.url === '/' ? 200 : 404).end('open')
      },
    )
    if (origin === undefined) return serve(listener)
    const handle = corsBefore(origin)
    return serve((request, response) =>
      handle(request, response, () => listener(request, response)),
    )
  },

  web: (guard, origin) => {
    const handle = guardedFetch(
      guard,
      prefix,
      {
        'GET /hi': { role: 'CallHiApiRole', handler: () => new Response('Hi') },
        'GET /hello': { role: 'CallHelloApiRole', handler: () => new Response('Hello') },
        'GET /whoami': {
          role: anyCaller,
          handler: (_, caller) => new Response(caller.applicationId),
        },
      },
      (request) =>
        new Response('open', { status: new URL(request.url).pathname === '/' ? 200 : 404 }),
    )
    if (origin === undefined) return serve(getRequestListener(handle))
    return serve(
      getRequestListener(async (request) => {
        const isPreflight = request.method === 'OPTIONS'
        const response = isPreflight ? new Response(null, { status: 204 }) : await handle(request)
        response.headers.set('access-control-allow-origin', origin)
        if (isPreflight) response.headers.set('access-control-allow-headers', 'authorization')
        return response
      }),
    )
  },
}
