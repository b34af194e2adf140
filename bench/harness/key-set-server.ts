import { createPublicKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scene } from './scene.ts'

/** The public keys of the scene as a JWK set. */
export function keySetOf({ keys }: Scene): string {
  return JSON.stringify({
    keys: keys.map(({ kid, privateKey }) => ({
      ...createPublicKey(privateKey).export({ format: 'jwk' }),
      kid,
      use: 'sig',
      alg: 'RS256',
    })),
  })
}

export type KeySetServer = { readonly origin: string; readonly url: string; stop(): void }

/** The one key set server of a run, where Entra has it: `/{tenant}/discovery/keys`. */
export async function startKeySetServer(scene: Scene): Promise<KeySetServer> {
  const path = `/${scene.tenantId}/discovery/keys`
  const body = keySetOf(scene)
  const server = createServer((request, response) => {
    const found = request.url === path
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    response.end(found ? body : '{}')
  })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}${path}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
