import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before } from 'node:test'
import { pino } from 'pino'
import { freshFolder } from '../../../test/fixtures/fresh-folder.ts'
import {
  apiApplicationId,
  Signer,
  startFakeIdentityProvider,
  tenantId,
} from '../../../test/fixtures/signing-identity-provider.ts'
import { type ServiceParts, startService } from '../src/service.ts'
import { readSettings } from '../src/settings.ts'

/** A folder of this process. */
export const folder = freshFolder()
const rulesText = `{ "rules": [
  { "path": "/open", "public": true },
  { "path": "/orders/{id}", "methods": ["GET"], "role": "Orders.Read" },
  { "path": "/orders", "methods": ["POST"], "role": "Orders.Write" },
  { "path": "/me", "anyCaller": true }
] }`

let provider: Awaited<ReturnType<typeof startFakeIdentityProvider>>
let signer: Signer

/** Registers the start and the end of the identity provider of a test file. */
export function withIdentityProvider(): void {
  let own: typeof provider | undefined
  before(async () => {
    own = provider = await startFakeIdentityProvider()
    signer = await Signer.make('key-1', provider.url)
    provider.publish(signer.jwk)
  })
  // Other files of this process have their own.
  after(async () => {
    await own?.stop()
  })
}

/** An authorizer with a rules file and a log of its own. */
export async function start(changes: Record<string, string> = {}, parts: ServiceParts = {}) {
  const file = join(freshFolder(), 'rules.json')
  writeFileSync(file, rulesText)
  const log: string[] = []
  const settings = readSettings({
    TENANT_ID: tenantId,
    API_APPLICATION_ID: apiApplicationId,
    AUTH_URL: provider.url,
    ISSUER_URL: provider.url,
    RULES_FILE: file,
    PROXY: 'nginx',
    PORT: '0',
    METRICS_PORT: '0',
    ...changes,
  })
  const service = await startService(
    settings,
    pino({ level: 'debug' }, { write: (row) => log.push(row) }),
    // Changes are seen only by the test that waits for one.
    { watchMs: 3_600_000, ...parts },
  )
  return { service, file, log: () => log.join('') }
}

export type Headers = readonly string[]

/** Sends a request with unchanged headers, which may be repeated. */
export async function ask(
  url: string,
  headers: Headers,
  { path = '/authorize', method = 'GET', body = '' } = {},
) {
  const { hostname, port } = new URL(url)
  const sent = request({
    hostname,
    port,
    path,
    method,
    headers: ['host', 'api.example', ...headers],
    agent: false,
  })
  sent.end(body)
  const [response] = await once(sent, 'response')
  return {
    status: response.statusCode as number,
    headers: response.headers as Record<string, string>,
    body: await text(response),
  }
}

export const original = (method: string, uri: string): Headers => [
  'X-Original-Method',
  method,
  'X-Original-URI',
  uri,
]
export const forwarded = (method: string, uri: string): Headers => [
  'X-Forwarded-Method',
  method,
  'X-Forwarded-Uri',
  uri,
]
export const bearer = async (roles: readonly string[]): Promise<Headers> => [
  'Authorization',
  `Bearer ${await signer.token({ roles })}`,
]
