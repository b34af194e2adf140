import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer, request, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import {
  client,
  server as host,
  type Identity,
  thief,
} from '../../../../test/fixtures/tls-identities.ts'
import { guardedRouter } from '../../src/adapters/express.ts'
import { guardedRoutes } from '../../src/adapters/fastify.ts'
import { guardedApp } from '../../src/adapters/hono.ts'
import { guardedListener } from '../../src/adapters/node.ts'
import { createGuard, type Guard } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { keySetOf, optionsWith, type Role, TokenFactory } from '../token-factory.ts'

const forge = new TokenFactory('key-1')

const thumbprintOf = ({ cert }: Identity) =>
  createHash('sha256').update(new X509Certificate(cert).raw).digest('base64url')

const prefix = '/api'
const role = 'CallHiApiRole'

/** The adapters of servers that expose the TLS handshake. */
const adapters: Readonly<Record<string, (guard: Guard<Role>) => Promise<RequestListener>>> = {
  node: async (guard) =>
    guardedListener(guard, prefix, {
      'GET /hi': { role, handler: (_, response) => response.end('Hi') },
    }),
  hono: async (guard) =>
    getRequestListener(
      guardedApp(guard, prefix, { 'GET /hi': { role, handler: (c) => c.text('Hi') } }).fetch,
    ),
  express: async (guard) =>
    express().use(
      guardedRouter(guard, prefix, {
        'GET /hi': { role, handler: (_, response) => response.send('Hi') },
      }),
    ),
  fastify: async (guard) => {
    const app = fastify()
    app.register(guardedRoutes(guard, prefix, { 'GET /hi': { role, handler: () => 'Hi' } }))
    await app.ready()
    return app.routing
  },
}

for (const [name, listenerOf] of Object.entries(adapters)) {
  describe(`over mutual TLS, with the adapter for ${name}`, () => {
    let server: Server

    before(async () => {
      const guard = createGuard(
        optionsWith({ certificateBinding: 'enforced' }),
        new VirtualRuntime(keySetOf(forge)),
      )
      // The token contains the certificate thumbprint, so no authority is needed (RFC 8705 section
      // 6.2).
      const tls = { ...host, requestCert: true, rejectUnauthorized: false }
      server = createServer(tls, await listenerOf(guard))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    })
    after(() => {
      server.closeAllConnections()
      server.close()
    })

    async function call(token: string, identity?: Identity) {
      const { port } = server.address() as AddressInfo
      const sent = request({
        port,
        host: '127.0.0.1',
        path: '/api/hi',
        headers: { authorization: `Bearer ${token}` },
        rejectUnauthorized: false,
        agent: false,
        ...identity,
      }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return `${response.statusCode} ${await text(response)}`
    }

    it('a bound token works only with its certificate (RS27)', async () => {
      const token = forge.token({ cnf: { 'x5t#S256': thumbprintOf(client) } })
      assert.equal(await call(token, client), '200 Hi')
      assert.match(await call(token, thief), /^401 .*"invalid_token"/)
      assert.match(await call(token), /^401 .*"invalid_token"/)
      assert.equal(await call(token, client), '200 Hi')
    })

    it('an unbound token needs no certificate', async () => {
      assert.equal(await call(forge.token()), '200 Hi')
    })
  })
}
