import type { AddressInfo } from 'node:net'
import express from 'express'
import { auth, claimIncludes } from 'express-oauth2-jwt-bearer'
import { announce, readEnvironment } from './environment.ts'

/** Express with Auth0's middleware, as its page shows it. */
const { keySetUrl, issuer, audience, role } = readEnvironment()
const app = express()

app.get(
  '/api/v1/hi',
  auth({ issuer, jwksUri: keySetUrl, audience, tokenSigningAlg: 'RS256' }),
  claimIncludes('roles', role),
  (_request, response) => {
    response.type('text/plain').send('Hi')
  },
)

const server = app.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
