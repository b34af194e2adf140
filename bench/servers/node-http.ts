import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { announce, hasRole, readEnvironment } from './environment.ts'

/**
 * The minimum of a server on Node, and of a token check: one verification, and a comparison of the
 * claims. It is not a guard: it is not strict, caches nothing and refreshes no keys.
 */
const { keySetUrl, issuer, audience, role } = readEnvironment()
const { keys }: { keys: (JsonWebKey & { kid: string })[] } = await (await fetch(keySetUrl)).json()
const known = new Map<unknown, KeyObject>(
  keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]),
)

const read = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString())

function statusFor(token: string): number {
  const [header = '', claims = '', signature = ''] = token.split('.')
  if (header === '') return 401
  const key = known.get(read(header).kid)
  const input = Buffer.from(`${header}.${claims}`, 'latin1')
  if (!key || !verify('RSA-SHA256', input, key, Buffer.from(signature, 'base64url'))) return 401
  const { iss, aud, exp, ...rest } = read(claims)
  if (iss !== issuer || aud !== audience || Number(exp) < Date.now() / 1000) return 401
  return hasRole(rest, role) ? 200 : 403
}

const server = createServer(({ url, headers: { authorization = '' } }, response) => {
  const status = url === '/' ? 200 : statusFor(authorization.slice('Bearer '.length))
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('Hi')
})
server.listen(0, '127.0.0.1', () => {
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
