import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { jwk } from 'hono/jwk'
import { announce, hasRole, readEnvironment } from './environment.ts'

/** Hono with its own `jwk` middleware, which fetches the key set for every request. */
const { keySetUrl, issuer, audience, role } = readEnvironment()
const app = new Hono<{ Variables: { jwtPayload: object } }>()

app.use(
  '/api/v1/*',
  jwk({ jwks_uri: keySetUrl, alg: ['RS256'], verification: { iss: issuer, aud: audience } }),
)
app.get('/api/v1/hi', (context) =>
  hasRole(context.get('jwtPayload'), role) ? context.text('Hi') : context.body(null, 403),
)

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) => {
  announce(`http://127.0.0.1:${port}`)
})
