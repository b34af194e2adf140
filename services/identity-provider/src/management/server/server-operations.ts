// Folder: The API of the server itself: keys, tenants, logs and credentials.

import { type Runtime, serverManagementAppId, systemRuntime } from '@greeting/directory'
import type { AuditTrail, FindEndingCredentials } from '@greeting/directory/audit'
import { baseUrl } from '@greeting/directory/forms'
import type { Hono } from 'hono'
import type { OperationContext } from '../operations/execute-operation.ts'
import { serverManagementPath } from '../operations/management-paths.ts'
import type { Operation } from '../operations/operation.ts'
import { createOperationsApp } from '../operations/operations-app.ts'
import { SkipTokens } from '../operations/skip-tokens.ts'
import { auditOperations, credentialOperations } from './report-operations.ts'
import { type KeyManagement, signingKeyOperations } from './signing-key-operations.ts'
import { tenantOperations } from './tenant-operations.ts'

export type ServerAppOptions = Pick<
  OperationContext,
  'authenticate' | 'recordRefusal' | 'report' | 'store'
> & {
  /** The public URL above `serverManagementPath`, without a slash at its end. */
  readonly baseUrl: string
  readonly keys: KeyManagement
  readonly audit: Pick<AuditTrail, 'find' | 'countHours'>
  readonly findEndingCredentials: FindEndingCredentials
  readonly runtime?: Runtime
}

export const serverOperations = ({
  keys,
  audit,
  findEndingCredentials,
}: Pick<ServerAppOptions, 'keys' | 'audit' | 'findEndingCredentials'>): readonly Operation[] => [
  ...signingKeyOperations(keys),
  ...auditOperations(audit),
  ...credentialOperations(findEndingCredentials),
  ...tenantOperations,
]

/**
 * Creates the server management API for signing keys, tenants and logs. Only the first tenant has a
 * service principal of this API, so only its clients can have the roles.
 *
 * @returns an app to mount at `serverManagementPath`
 * @throws {ZodError} when `baseUrl` is invalid.
 */
export function createServerApp(options: ServerAppOptions): Hono {
  return createOperationsApp(serverOperations(options), {
    ...options,
    apiAppId: serverManagementAppId,
    mountPath: serverManagementPath,
    rootUrl: `${baseUrl.parse(options.baseUrl)}${serverManagementPath}`,
    skipTokens: new SkipTokens(),
    credentialUses: { record: async () => {}, lastUses: async () => new Map() },
    runtime: options.runtime ?? systemRuntime,
    visibilityDelaySeconds: 0,
    retentionDays: 30,
  })
}
