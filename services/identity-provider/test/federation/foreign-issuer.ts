import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT } from 'jose'
import { rsaKeyPair } from '../../../../fixtures/rsa-key-pair.ts'

/** Another issuer, with a discovery document and a key set, on its own port. */
export type ForeignIssuer = {
  readonly issuer: string
  readonly host: string
  /** The requested paths. */
  readonly asked: string[]
  /** Replaces the documents, when set. */
  answer: RequestListener | undefined
  readonly token: (claims?: Record<string, unknown>) => Promise<string>
  readonly close: () => void
}

/** Starts an issuer with its own address as the issuer name. */
export async function startForeignIssuer(): Promise<ForeignIssuer> {
  const { publicKey, privateKey } = rsaKeyPair()
  const key = { ...(await exportJWK(publicKey)), kid: 'theirs', use: 'sig', alg: 'RS256' }
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (foreign.answer !== undefined) return foreign.answer(request, response)
    const body = request.url?.endsWith('/keys')
      ? { keys: [key] }
      : { issuer: foreign.issuer, jwks_uri: `${foreign.issuer}/keys` }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const foreign: ForeignIssuer = {
    issuer: `http://${host}/cluster`,
    host,
    asked,
    answer: undefined,
    token: (claims = {}) => {
      const now = Math.floor(Date.now() / 1000)
      const usual = {
        iss: foreign.issuer,
        sub: 'system:serviceaccount:jobs:nightly',
        aud: ['api://AzureADTokenExchange'],
        iat: now,
        nbf: now,
        exp: now + 3600,
        jti: crypto.randomUUID(),
      }
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'theirs' })
        .sign(privateKey)
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return foreign
}
