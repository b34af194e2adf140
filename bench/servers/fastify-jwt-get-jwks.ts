import fastifyJwt, { type TokenOrHeader } from '@fastify/jwt'
import Fastify, { type FastifyRequest } from 'fastify'
import buildGetJwks from 'get-jwks'
import { announce, hasRole, readEnvironment } from './environment.ts'

/** @fastify/jwt with get-jwks, as the page of get-jwks shows it. */
const { keySetUrl, issuer, audience, role } = readEnvironment()
const { origin: domain, pathname: jwksPath } = new URL(keySetUrl)
const keys = buildGetJwks({ jwksPath })
const app = Fastify()

await app.register(fastifyJwt, {
  decode: { complete: true },
  verify: { algorithms: ['RS256'], allowedIss: issuer, allowedAud: audience },
  secret: (_request: FastifyRequest, token: TokenOrHeader) => {
    const { kid, alg } = 'header' in token ? token.header : token
    return keys.getPublicKey({ kid, alg, domain })
  },
})

app.addHook('onRequest', async (request) => {
  await request.jwtVerify()
})

app.get('/api/v1/hi', async (request, reply) => {
  if (!hasRole(Object(request.user), role)) return reply.code(403).send()
  return reply.type('text/plain; charset=utf-8').send('Hi')
})

announce(await app.listen({ port: 0, host: '127.0.0.1' }))
