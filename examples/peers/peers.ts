import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import jwtPlugin, { type TokenOrHeader } from '@fastify/jwt'
import { serve } from '@hono/node-server'
import express, { type ErrorRequestHandler } from 'express'
import { auth, claimCheck } from 'express-oauth2-jwt-bearer'
import fastify, { type FastifyRequest } from 'fastify'
import buildGetJwks from 'get-jwks'
import { Hono } from 'hono'
import { jwk } from 'hono/jwk'
import type { JwtVariables } from 'hono/jwt'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import jwksRsa from 'jwks-rsa'
import passport from 'passport'
import { ExtractJwt, Strategy } from 'passport-jwt'

/** The values with which a library verifies the tokens of an API. */
export type Verification = {
  readonly issuer: string
  readonly audience: string
  readonly keySetUrl: string
  readonly role: string
}

/** An API that listens, protected by a library as its README shows. */
export type RunningPeer = { readonly url: string; readonly stop: () => Promise<void> }

/** A library, and how its README configures it with a key set, an issuer, an audience and a role. */
export type Peer = {
  readonly name: string
  /** Names and versions of its packages; read after the start. */
  readonly versions: () => readonly string[]
  readonly start: (verification: Verification) => Promise<RunningPeer>
}

const npmVersions =
  (...names: readonly string[]) =>
  () =>
    names.map((name) => {
      const manifest = new URL(`node_modules/${name}/package.json`, import.meta.url)
      return `${name} ${JSON.parse(readFileSync(manifest, 'utf8')).version}`
    })

const hasRole = (roles: unknown, role: string) => Array.isArray(roles) && roles.includes(role)

/** Answers with the status of an error. The default handler of Express also prints each of them. */
const answerStatus: ErrorRequestHandler = (error, _request, response, _next) => {
  response.sendStatus(error.status ?? 500)
}

function listenExpress(app: express.Express): Promise<RunningPeer> {
  app.use(answerStatus)
  const { promise, resolve } = Promise.withResolvers<RunningPeer>()
  const server = app.listen(0, '127.0.0.1', () =>
    resolve({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      stop: async () => void server.close(),
    }),
  )
  return promise
}

export const peers: readonly Peer[] = [
  {
    name: 'express-oauth2-jwt-bearer',
    versions: npmVersions('express-oauth2-jwt-bearer', 'express'),
    start: ({ issuer, audience, role }) => {
      const app = express()
      app.use(auth({ issuerBaseURL: issuer, audience }))
      const check = claimCheck(({ roles }) => hasRole(roles, role))
      app.get('/', check, (_request, response) => response.send('orders'))
      return listenExpress(app)
    },
  },
  {
    name: '@fastify/jwt with get-jwks',
    versions: npmVersions('@fastify/jwt', 'get-jwks', 'fastify'),
    start: async ({ issuer, audience, keySetUrl, role }) => {
      const app = fastify()
      const { origin, pathname } = new URL(keySetUrl)
      const getJwks = buildGetJwks({ jwksPath: pathname.slice(1) })
      app.register(jwtPlugin, {
        decode: { complete: true },
        // The README takes the domain from the claim `iss` of the token; here it is a setting.
        secret: (_request: FastifyRequest, token: TokenOrHeader) => {
          const { kid, alg } = 'header' in token ? token.header : token
          return getJwks.getPublicKey({ kid, domain: origin, alg })
        },
        verify: { allowedIss: issuer, allowedAud: audience, algorithms: ['RS256'] },
      })
      app.get('/', async (request, reply) => {
        await request.jwtVerify()
        const { roles } = request.user as { roles?: unknown }
        return hasRole(roles, role) ? 'orders' : reply.code(403).send()
      })
      const url = await app.listen({ host: '127.0.0.1', port: 0 })
      return { url: `${url}/`, stop: () => app.close() }
    },
  },
  {
    name: 'hono/jwk',
    versions: npmVersions('hono'),
    start: ({ issuer, audience, keySetUrl, role }) => {
      const app = new Hono<{ Variables: JwtVariables<{ roles?: unknown }> }>()
      app.use(
        jwk({ jwks_uri: keySetUrl, alg: ['RS256'], verification: { iss: issuer, aud: audience } }),
      )
      app.get('/', (context) =>
        hasRole(context.get('jwtPayload').roles, role)
          ? context.text('orders')
          : context.text('forbidden', 403),
      )
      const { promise, resolve } = Promise.withResolvers<RunningPeer>()
      const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
        resolve({ url: `http://127.0.0.1:${port}/`, stop: async () => void server.close() }),
      )
      return promise
    },
  },
  {
    name: 'passport-jwt with jwks-rsa',
    versions: npmVersions('passport-jwt', 'jwks-rsa', 'passport', 'express'),
    start: ({ issuer, audience, keySetUrl, role }) => {
      const options = {
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        secretOrKeyProvider: jwksRsa.passportJwtSecret({ jwksUri: keySetUrl, cache: true }),
        issuer,
        audience,
        algorithms: ['RS256' as const],
      }
      passport.use(new Strategy(options, (claims: Express.User, done) => done(null, claims)))
      const app = express()
      app.get('/', passport.authenticate('jwt', { session: false }), (request, response) => {
        const { roles } = request.user as { roles?: unknown }
        if (hasRole(roles, role)) response.send('orders')
        else response.sendStatus(403)
      })
      return listenExpress(app)
    },
  },
  {
    name: 'jose',
    versions: npmVersions('jose', 'fastify'),
    start: async ({ issuer, audience, keySetUrl, role }) => {
      const app = fastify()
      const keys = createRemoteJWKSet(new URL(keySetUrl))
      app.get('/', async ({ headers }, reply) => {
        const token = headers.authorization?.replace(/^Bearer /, '') ?? ''
        try {
          const { payload } = await jwtVerify(token, keys, {
            issuer,
            audience,
            algorithms: ['RS256'],
          })
          return hasRole(payload.roles, role) ? 'orders' : reply.code(403).send()
        } catch (error) {
          if (error instanceof errors.JOSEError) return reply.code(401).send()
          throw error
        }
      })
      const url = await app.listen({ host: '127.0.0.1', port: 0 })
      return { url: `${url}/`, stop: () => app.close() }
    },
  },
]
