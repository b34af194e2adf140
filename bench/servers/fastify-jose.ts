import Fastify from 'fastify'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { announce, hasRole, readEnvironment } from './environment.ts'

/** Fastify with jose, as jose documents a resource server: a remote key set and `jwtVerify`. */
const { keySetUrl, issuer, audience, role } = readEnvironment()
const keySet = createRemoteJWKSet(new URL(keySetUrl))
const app = Fastify()

app.get('/api/v1/hi', async (request, reply) => {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return reply.code(401).send()
  const verified = await jwtVerify(token, keySet, {
    issuer,
    audience,
    algorithms: ['RS256'],
  }).catch(() => undefined)
  if (verified === undefined) return reply.code(401).send()
  if (!hasRole(verified.payload, role)) return reply.code(403).send()
  return reply.type('text/plain; charset=utf-8').send('Hi')
})

announce(await app.listen({ port: 0, host: '127.0.0.1' }))
