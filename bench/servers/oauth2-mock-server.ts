import { OAuth2Server } from 'oauth2-mock-server'
import { announce } from './environment.ts'

/** oauth2-mock-server with one RSA key of 2048 bits. It checks no secret. */
const server = new OAuth2Server()
await server.issuer.keys.generate('RS256')
await server.start(0, '127.0.0.1')
announce(server.issuer.url ?? '')
