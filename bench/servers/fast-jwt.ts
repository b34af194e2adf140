import { createVerifier, type DecodedJwt } from 'fast-jwt'
import Fastify from 'fastify'
import buildGetJwks from 'get-jwks'
import { announce, hasRole, readEnvironment } from './environment.ts'

/** Fastify with fast-jwt, with its cache of verified tokens, and keys by get-jwks. */
const { keySetUrl, issuer, audience, role } = readEnvironment()
const { origin: domain, pathname: jwksPath } = new URL(keySetUrl)
const keys = buildGetJwks({ jwksPath })
const verify = createVerifier({
  key: ({ header: { kid, alg } }: DecodedJwt) => keys.getPublicKey({ kid, alg, domain }),
  cache: true,
  algorithms: ['RS256'],
  allowedIss: issuer,
  allowedAud: audience,
})
const app = Fastify()

app.get('/api/v1/hi', async (request, reply) => {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return reply.code(401).send()
  const claims = await verify(token).catch(() => undefined)
  if (claims === undefined) return reply.code(401).send()
  if (!hasRole(claims, role)) return reply.code(403).send()
  return reply.type('text/plain; charset=utf-8').send('Hi')
})

announce(await app.listen({ port: 0, host: '127.0.0.1' }))
