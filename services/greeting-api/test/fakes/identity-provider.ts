import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'
import { rsaKeyPair } from '../../../../fixtures/rsa-key-pair.ts'

export const tenantId = '8d5f9a0c-0c1e-4a57-9d0e-2f6a3b1c4d5e'
export const apiApplicationId = '3f1b6c2a-7d48-4e0b-9a55-c0ffee000001'

type Claims = Record<string, unknown>
type Header = Partial<JWTHeaderParameters> & Record<string, unknown>

/** A signing key, its public key, and tokens of contract C29 to C47. */
export class Signer {
  readonly kid: string
  readonly jwk: JWK
  readonly issuerUrl: string
  readonly #privateKey: KeyObject

  private constructor(kid: string, issuerUrl: string, jwk: JWK, privateKey: KeyObject) {
    this.kid = kid
    this.issuerUrl = issuerUrl
    this.jwk = { ...jwk, kid, use: 'sig' }
    this.#privateKey = privateKey
  }

  static async make(kid: string, issuerUrl: string): Promise<Signer> {
    const { publicKey, privateKey } = rsaKeyPair()
    return new Signer(kid, issuerUrl, await exportJWK(publicKey), privateKey)
  }

  claims(changes: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1000)
    const issuer = `${this.issuerUrl}/${tenantId}/`
    return {
      aud: `api://${apiApplicationId}`,
      iss: issuer,
      iat: now - 300,
      nbf: now - 300,
      exp: now + 3600,
      aio: 'E2RgYLh',
      appid: '6a8b4b39-1111-4222-8333-c0ffee000002',
      appidacr: '1',
      idp: issuer,
      oid: '0b7c1d2e-aaaa-4bbb-8ccc-c0ffee000003',
      roles: ['CallHiApiRole', 'CallHelloApiRole'],
      sub: '0b7c1d2e-aaaa-4bbb-8ccc-c0ffee000003',
      tid: tenantId,
      uti: 'AbCdEfGhIjKlMnOpQrStUv',
      ver: '1.0',
      ...changes,
    }
  }

  header(changes: Header = {}): JWTHeaderParameters {
    return { typ: 'JWT', alg: 'RS256', x5t: this.kid, kid: this.kid, ...changes }
  }

  token(claims: Claims = {}, header: Header = {}): Promise<string> {
    return new SignJWT(this.claims(claims))
      .setProtectedHeader(this.header(header))
      .sign(this.#privateKey)
  }
}

/** A fake identity provider: it serves the key set of a test over a real socket. */
export async function startFakeIdentityProvider() {
  const paths: string[] = []
  let answer = (): { status: number; body: string } | undefined => ({ status: 503, body: '' })
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    const prepared = answer()
    // Without a prepared answer the request hangs.
    if (prepared === undefined) return
    response.writeHead(prepared.status, { 'content-type': 'application/json' }).end(prepared.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** The paths of all requests. */
    paths,
    publish: (...keys: JWK[]) => {
      answer = () => ({ status: 200, body: JSON.stringify({ keys }) })
    },
    fail: (status: number) => {
      answer = () => ({ status, body: 'busy' })
    },
    hang: () => {
      answer = () => undefined
    },
    /** Closes the connections of hanging requests. */
    drop: () => server.closeAllConnections(),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
