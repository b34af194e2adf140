import type { Hono } from 'hono'
import { serverManagementAppId } from '../../directory/privileged-api-ids.ts'
import { type Runtime, systemRuntime } from '../../directory/runtime.ts'
import type { AuditRecord } from '../../storage/audit-record.ts'
import type { AuditTrail } from '../../storage/audit-trail.ts'
import type { DirectoryStore } from '../../storage/directory-store.ts'
import { baseUrl } from '../http/base-url.ts'
import type { Authenticate } from '../http/caller.ts'
import type { RequestIds } from '../http/graph-error.ts'
import type { Operation } from '../http/operation.ts'
import { createOperationsApp } from '../http/operations-app.ts'
import { SkipTokens } from '../odata/skip-tokens.ts'
import { auditOperations } from './audit-operations.ts'
import { type KeyManagement, keyOperations } from './key-operations.ts'
import { tenantOperations } from './tenant-operations.ts'

/** Where the API is mounted. */
export const serverManagementPath = '/management'

export type ServerAppOptions = {
  /** Where `managementPath` is mounted, without a slash at its end. */
  readonly baseUrl: string
  readonly store: DirectoryStore
  readonly keys: KeyManagement
  readonly audit: Pick<AuditTrail, 'find'>
  readonly authenticate: Authenticate
  /** Keeps the record of a refused change; the record of a change that is made is kept with it. */
  readonly recordRefusal: (record: AuditRecord) => void
  readonly report: (error: unknown, exchange: RequestIds) => void
  readonly runtime?: Runtime
}

/** Everything that administers the server itself. */
export const serverOperations = ({
  keys,
  audit,
}: Pick<ServerAppOptions, 'keys' | 'audit'>): readonly Operation[] => [
  ...keyOperations(keys),
  ...auditOperations(audit),
  ...tenantOperations,
]

/**
 * What administers the server itself: its signing keys, its tenants, its audit. Only clients of the
 * tenant that came first can have its roles, because the API is known in no other.
 *
 * @returns an app to mount under `managementPath`.
 * @throws {ZodError} when `baseUrl` is wrong.
 */
export function createServerApp(options: ServerAppOptions): Hono {
  return createOperationsApp(serverOperations(options), {
    ...options,
    apiAppId: serverManagementAppId,
    rootUrl: `${baseUrl.parse(options.baseUrl)}${serverManagementPath}`,
    skipTokens: new SkipTokens(),
    credentialUses: { record: async () => {}, lastUses: async () => new Map() },
    runtime: options.runtime ?? systemRuntime,
    visibilityDelaySeconds: 0,
  })
}
