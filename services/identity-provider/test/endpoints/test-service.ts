import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DirectoryChange, systemRuntime } from '@greeting/directory'
import type { AuditLane, AuditRecord } from '@greeting/directory/audit'
import { DirectoryStore } from '@greeting/directory/live'
import type { ServerEnv } from '@greeting/http-service'
import { TrustedProxies } from '@greeting/http-service'
import type { Hono } from 'hono'
import { agreedNow } from '../../../../test/fixtures/directory/agreed-now.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { MemoryKeyRingStore } from '../../../../test/fixtures/directory/memory-key-ring-store.ts'
import { createApp } from '../../src/app.ts'
import { FailedLoginRateLimit } from '../../src/endpoints/failed-login-rate-limit.ts'
import type { ServiceOptions } from '../../src/endpoints/service-options.ts'
import { type Seeded, seedChanges } from '../../src/seed/seed-changes.ts'
import { readSeedRegistrations } from '../../src/seed/seed-registrations.ts'
import { KeyEncryptionKey } from '../../src/signing/key-encryption-key.ts'
import { SigningKeys } from '../../src/signing/signing-keys.ts'
import { fixtureSigningKey } from '../signing/fixture-signing-key.ts'

const file = join(import.meta.dirname, '../seed/sample.json')

/** The registrations in a test directory. */
export const greeting = readSeedRegistrations(readFileSync(file, 'utf8'), file, {
  ...systemRuntime,
  tenantId: systemRuntime.newGuid(),
})
const [api] = greeting.apis
const [client] = greeting.clients
if (api === undefined || client === undefined) throw new TypeError(`${file} registers nothing.`)
export const tenantId = greeting.tenant.id
export const apiId = api.applicationId
export const clientId = client.applicationId
export const scope = `api://${apiId}/.default`

const keyEncryptionKey = KeyEncryptionKey.generate()
let keys: Promise<SigningKeys> | undefined

/** Keys that all tests of a file share, because their creation is slow. */
const signingKeys = (): Promise<SigningKeys> => {
  keys ??= SigningKeys.open({
    store: new MemoryKeyRingStore(),
    keyEncryptionKey,
    agreedTime: agreedNow(),
    schedule: { longestTokenSeconds: 3600 },
    generate: fixtureSigningKey,
  })
  return keys
}

export type TestService = {
  readonly app: Hono<ServerEnv>
  readonly options: ServiceOptions
  readonly store: DirectoryStore
  readonly seeded: Seeded
  readonly secret: string
  readonly audit: (AuditRecord & { readonly lane: AuditLane })[]
  readonly uses: Map<string, Date>
  readonly logged: string[]
  /** Changes the directory without validation. */
  readonly change: (...changes: DirectoryChange[]) => Promise<void>
  /** Posts a form to a token endpoint. */
  readonly token: (
    form: Record<string, string> | string,
    request?: { path?: string; headers?: Record<string, string> },
  ) => Promise<Response>
  /** The form of contract C53 to C56. */
  readonly form: (over?: Record<string, string>) => Record<string, string>
}

/** A service with a separate memory store and the sample registrations. */
export async function testService(over: Partial<ServiceOptions> = {}): Promise<TestService> {
  const { changes, seeded } = seedChanges(greeting, systemRuntime)
  const store = new DirectoryStore({ log: new MemoryDirectoryLog() })
  const change = (...more: DirectoryChange[]) =>
    store.update(() => ({ changes: more, audit: [], result: undefined }))
  await change(...changes)
  const audit: (AuditRecord & { readonly lane: AuditLane })[] = []
  const uses = new Map<string, Date>()
  const logged: string[] = []
  const note = (fields: object, text: string) => {
    logged.push(JSON.stringify({ ...fields, text }))
  }
  const opened = await signingKeys()
  const options: ServiceOptions = {
    authority: {
      authUrl: 'http://login.test',
      issuerUrl: 'http://sts.test',
      issuerUrlV2: 'http://login.test',
    },
    origins: ['http://login.test', 'https://secure.login.test'],
    ownIssuers: ({ id }) => [`http://login.test/${id}/v2.0`],
    directory: store,
    keys: {
      sign: (claims, keyMembers) => opened.sign(claims, keyMembers),
      published: () => opened.published(),
    },
    lifetime: { backdatingSeconds: 300, shortestSeconds: 3600, longestSeconds: 3600 },
    assertionTimes: { clockToleranceSeconds: 60, maxLifetimeSeconds: 3600 },
    acceptsLabSecrets: false,
    acceptsMcpClients: false,
    assertions: undefined,
    verifyFederated: async () => 'issuer_not_allowed',
    throttle: new FailedLoginRateLimit({ perClientPerMinute: 1000, perSourcePerMinute: 1000 }),
    trustedProxies: new TrustedProxies(),
    clientCertProxies: new TrustedProxies(),
    audit: (record, lane) => void audit.push({ ...record, lane }),
    noteUse: (keyId, at) => void uses.set(keyId, at),
    isReady: () => true,
    isClockAgreed: () => true,
    log: { debug: note, info: note, warn: note, error: note },
    source: systemRuntime,
    randomBytes: systemRuntime.randomBytes,
    ...over,
  }
  const app = createApp(options)
  const secret = seeded.clients[0]?.clientSecret ?? ''
  return {
    app,
    options,
    store,
    seeded,
    secret,
    audit,
    uses,
    logged,
    change,
    token: async (form, { path = `/${tenantId}/oauth2/v2.0/token`, headers = {} } = {}) =>
      app.request(`http://login.test${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
      }),
    form: (more = {}) => ({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: secret,
      scope,
      ...more,
    }),
  }
}
