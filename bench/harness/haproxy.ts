import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { RouteServer } from './guarded-route.ts'
import type { Scene } from './scene.ts'
import { startSilentServer } from './server-process.ts'

/** HAProxy as a guard that answers by itself: RS256 verified in C for every request. */
export function haproxy(kind: 'guarded' | 'open'): RouteServer {
  return {
    path: '/api/v1/hi',
    start: async ({ scene, folder }, cores) => {
      const place = await mkdtemp(join(folder, 'haproxy-'))
      const publicKey = createPublicKey(scene.keys[0].privateKey)
      await writeFile(join(place, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
      const port = await freePort()
      const rules = kind === 'guarded' ? guarding(scene) : []
      await writeFile(join(place, 'haproxy.cfg'), configuration(port, rules))
      return startSilentServer(
        { command: ['haproxy', '-db', '-f', 'haproxy.cfg'], environment: {}, folder: place },
        cores,
        `http://127.0.0.1:${port}`,
      )
    },
  }
}

const configuration = (port: number, rules: readonly string[]): string => `
global
  nbthread 1
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 5s
  timeout http-keep-alive 30s
frontend api
  bind 127.0.0.1:${port}
${rules.map((rule) => `  ${rule}\n`).join('')}
  http-request return status 200 content-type "text/plain; charset=utf-8" string "Hi"
`

/** The rules of HAProxy's own guide to JWT, with a clock and with the role. */
const guarding = ({ issuer, audience, role }: Scene): string[] => [
  'http-request deny deny_status 401 unless { req.hdr(authorization) -m beg "Bearer " }',
  'http-request set-var(txn.bearer) http_auth_bearer',
  "http-request set-var(txn.alg) var(txn.bearer),jwt_header_query('$.alg')",
  // Decoded once: `jwt_payload_query` would decode it again for each claim.
  'http-request set-var(txn.claims) var(txn.bearer),word(2,.),ub64dec',
  "http-request set-var(txn.iss) var(txn.claims),json_query('$.iss')",
  "http-request set-var(txn.aud) var(txn.claims),json_query('$.aud')",
  "http-request set-var(txn.exp) var(txn.claims),json_query('$.exp','int')",
  'http-request set-var(txn.now) date()',
  'http-request deny deny_status 401 unless { var(txn.alg) -m str RS256 }',
  `http-request deny deny_status 401 unless { var(txn.iss) -m str ${issuer} }`,
  `http-request deny deny_status 401 unless { var(txn.aud) -m str ${audience} }`,
  'http-request deny deny_status 401 if { var(txn.exp),sub(txn.now) -m int lt 0 }',
  'http-request deny deny_status 401 unless { var(txn.bearer),jwt_verify(txn.alg,"key.pem") -m int 1 }',
  // It reads no arrays: the list of roles is searched as text.
  `http-request deny deny_status 403 unless { var(txn.claims) -m reg "\\"roles\\":\\[[^]]*\\"${role}\\"" }`,
]

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
