import { Hono } from 'hono'
import { graphAppId, serverManagementAppId } from '../directory/privileged-api-ids.ts'
import type { Runtime } from '../directory/runtime.ts'
import type { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { reencryptKeys } from '../signing/key-reencryption.ts'
import type { SigningKeys } from '../signing/signing-keys.ts'
import type { AuditRecord } from '../storage/audit-record.ts'
import type { DirectoryStore } from '../storage/directory-store.ts'
import type { Storage } from '../storage/storage.ts'
import { createGraphApp, graphPath } from './graph/graph-operations.ts'
import { graphRoles } from './graph/graph-roles.ts'
import { authenticateWithGuard } from './http/authenticate-with-guard.ts'
import type { RequestIds } from './http/graph-error.ts'
import { graphUri, serverManagementUri } from './privileged-apis.ts'
import { createServerApp, serverManagementPath } from './server/server-operations.ts'
import { serverRoles } from './server/server-roles.ts'

export type ManagementAppsOptions = {
  /** Where the server is reached, without a slash at its end. */
  readonly baseUrl: string
  /** What the issuers of its v1.0 tokens begin with, one for each way in which it is reached. */
  readonly issuerUrls: readonly string[]
  readonly store: DirectoryStore
  readonly storage: Pick<Storage, 'audit' | 'credentialUses' | 'keyRing'>
  readonly keys: SigningKeys
  readonly keyEncryptionKey: KeyEncryptionKey
  /** How long new objects are not seen over Microsoft Graph, 0 to 3600 seconds. */
  readonly visibilityDelaySeconds: number
  readonly recordRefusal: (record: AuditRecord) => void
  readonly report: (error: unknown, exchange: RequestIds) => void
  readonly runtime: Runtime
}

/**
 * Both management APIs behind their guards, each under the path that it is known at: Microsoft Graph
 * for the registrations of a tenant, and the management of the server itself.
 *
 * @throws {ZodError} when `baseUrl` or `visibilityDelaySeconds` is wrong.
 */
export function createManagementApps(options: ManagementAppsOptions): Hono {
  const { issuerUrls, keyEncryptionKey, keys, runtime, storage, store } = options
  const callersOf = (audiences: readonly string[], roles: object) =>
    authenticateWithGuard(
      {
        issuerUrls,
        audiences,
        roles: Object.keys(roles),
        publishedKeys: () => keys.published(),
        wallClockMs: () => runtime.now().getTime(),
      },
      () => store.read(),
    )
  const graph = createGraphApp({
    baseUrl: options.baseUrl,
    store,
    credentialUses: storage.credentialUses,
    authenticate: callersOf([graphUri, graphAppId], graphRoles),
    recordRefusal: options.recordRefusal,
    report: options.report,
    visibilityDelaySeconds: options.visibilityDelaySeconds,
    skipTokenKey: keyEncryptionKey.derive('skip tokens of the management API'),
    runtime,
  })
  const management = createServerApp({
    baseUrl: options.baseUrl,
    store,
    keys: {
      states: () => keys.states(),
      refresh: () => keys.refresh(),
      rotate: (by) => keys.rotate(by),
      revoke: (kid, by) => keys.revoke(kid, by),
      reencrypt: (to, by) =>
        reencryptKeys({ store: storage.keyRing, from: keyEncryptionKey, to, by, now: runtime.now }),
    },
    audit: storage.audit,
    authenticate: callersOf([serverManagementUri, serverManagementAppId], serverRoles),
    recordRefusal: options.recordRefusal,
    report: options.report,
    runtime,
  })
  return new Hono().mount(graphPath, graph.fetch).mount(serverManagementPath, management.fetch)
}
