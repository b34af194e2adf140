import { serverManagementAppId } from '@greeting/directory'
import type { AuditQuery } from '../../../../../packages/directory/src/audit/audit-trail.ts'
import { agreedNow } from '../../../../../test/fixtures/directory/agreed-now.ts'
import { MemoryKeyRingStore } from '../../../../../test/fixtures/directory/memory-key-ring-store.ts'
import { type ServerRole, serverRoles } from '../../../src/management/privileges/server-roles.ts'
import { createServerApp } from '../../../src/management/server/server-operations.ts'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import { reencryptKeys } from '../../../src/signing/key-reencryption.ts'
import { SigningKeys } from '../../../src/signing/signing-keys.ts'
import { fixtureSigningKey } from '../../signing/fixture-signing-key.ts'
import { believe, contoso, requestsTo, sampleGraph } from '../sample-graph.ts'

export const allManagementRoles = Object.keys(serverRoles) as ServerRole[]

const endingCredential = {
  kind: 'secret',
  keyId: contoso.id,
  displayName: null,
  endDateTime: new Date('2026-02-01T00:00:00Z'),
  appId: contoso.id,
  applicationName: 'Night job',
} as const

/** A server management API with two tenants and real signing keys. */
export async function sampleManagement(part: Parameters<typeof sampleGraph>[0] = {}) {
  const graph = await sampleGraph(part)
  const store = new MemoryKeyRingStore()
  const keyEncryptionKey = KeyEncryptionKey.generate()
  const keys = await SigningKeys.open({
    store,
    keyEncryptionKey,
    agreedTime: agreedNow(() => graph.clock.now),
    schedule: { rotateAfterDays: 90, announceDays: 14, longestTokenSeconds: 3600 },
    now: () => graph.clock.now,
    generate: fixtureSigningKey,
  })
  const queries: AuditQuery[] = []
  const endings: object[] = []
  const counted: object[] = []
  const app = createServerApp({
    baseUrl: 'https://login.example',
    store: graph.store,
    keys: {
      states: () => keys.states(),
      refresh: () => keys.refresh(),
      rotate: (by) => keys.rotate(by),
      revoke: (kid, by) => keys.revoke(kid, by),
      reencrypt: (to, by) => reencryptKeys({ store, from: keyEncryptionKey, to, by }),
    },
    audit: {
      find: async (query) => {
        queries.push(query)
        const records = graph.log.audit.slice(0, query.limit)
        return { records: records.map((one, id) => ({ ...one, id: `${id}` })), next: 'x' }
      },
      countHours: async (query, from, hours) => {
        counted.push({ ...query, from, hours })
        return [{ from, done: 2, refused: 1 }]
      },
    },
    findEndingCredentials: async (tenantId, from, to, limit) => {
      endings.push({ tenantId, from, to, limit })
      return [endingCredential]
    },
    authenticate: believe,
    recordRefusal: (record) => graph.refusals.push(record),
    report: (error) => graph.reports.push(error),
    runtime: graph.runtime,
  })
  const request = requestsTo(app, '/management')
  const managerWith = (roles: readonly ServerRole[], tenant = contoso) =>
    graph.clientWith(roles, tenant, serverManagementAppId, request)
  return { ...graph, app, counted, endings, keyRing: store, keys, managerWith, queries, request }
}
