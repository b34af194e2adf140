// Folder: The management APIs change the directory through the storage port, and rotate the signing keys.

import { graphAppId, resourceManagerAppId, serverManagementAppId } from '@greeting/directory'
import type { Storage } from '@greeting/directory/storage'
import { Hono } from 'hono'
import type { KeyEncryptionKey } from '../signing/key-encryption-key.ts'
import { reencryptKeys } from '../signing/key-reencryption.ts'
import type { SigningKeys } from '../signing/signing-keys.ts'
import { createGraphApp } from './graph/graph-operations.ts'
import type { OperationContext } from './operations/execute-operation.ts'
import { graphPaths, serverManagementPath } from './operations/management-paths.ts'
import { mountOperations } from './operations/operation-path.ts'
import { authenticateWithGuard } from './privileges/authenticate-with-guard.ts'
import { graphUri, resourceManagerUris, serverManagementUri } from './privileges/built-in-apis.ts'
import type { Authenticate } from './privileges/caller.ts'
import { graphRoles } from './privileges/graph-roles.ts'
import { serverRoles } from './privileges/server-roles.ts'
import { createResourceManagerApp } from './resource-manager-app.ts'
import { createServerApp } from './server/server-operations.ts'

export type ManagementAppsOptions = Pick<
  OperationContext,
  | 'latestAgreed'
  | 'possessionRules'
  | 'recordRefusal'
  | 'report'
  | 'retentionDays'
  | 'runtime'
  | 'store'
  | 'visibilityDelaySeconds'
  | 'warn'
> & {
  /** The public URL of the server, without a slash at its end. */
  readonly baseUrl: string
  /** The public origins of all listeners, each a name of Microsoft Graph. */
  readonly origins: readonly string[]
  /** The start of the issuers of v1.0 tokens, one for each listener. */
  readonly issuerUrls: readonly string[]
  readonly storage: Pick<Storage, 'audit' | 'credentialUses' | 'findEndingCredentials' | 'keyRing'>
  readonly keys: SigningKeys
  readonly keyEncryptionKey: KeyEncryptionKey
  /** Whether the server may sign with the public keys of `@greeting/testing`. */
  readonly testKeys: 'refused' | 'accepted'
  /** Replaces the guard, for calls that do not come from the network. Default: the guard. */
  readonly authenticate?: Authenticate
}

/**
 * Creates the management APIs, each with its guard and at its path: Microsoft Graph for the registrations of
 * a tenant, the server management API, and the part of Azure Resource Manager that a login needs.
 *
 * @throws {ZodError} when `baseUrl` or `visibilityDelaySeconds` is invalid.
 */
export function createManagementApps(options: ManagementAppsOptions): Hono {
  // The operations get no more than they need.
  const {
    authenticate,
    issuerUrls,
    keyEncryptionKey,
    keys,
    origins,
    storage,
    testKeys,
    ...context
  } = options
  const { baseUrl, report, runtime, store } = context
  const authenticateFor = (audiences: readonly string[], roles: object) =>
    authenticate ??
    authenticateWithGuard(
      {
        issuerUrls,
        audiences,
        roles: Object.keys(roles),
        publishedKeys: () => keys.published(),
        testKeys,
        wallClockMs: () => runtime.now().getTime(),
      },
      store,
    )
  const graphOptions = {
    ...context,
    credentialUses: storage.credentialUses,
    authenticate: authenticateFor(
      [graphAppId, ...[graphUri, ...origins].flatMap((name) => [name, `${name}/`])],
      graphRoles,
    ),
    skipTokenKey: keyEncryptionKey.derive('skip tokens of the management API'),
  }
  const server = createServerApp({
    ...context,
    keys: {
      states: () => keys.states(),
      refresh: () => keys.refresh(),
      rotate: (by) => keys.rotate(by),
      revoke: (kid, by) => keys.revoke(kid, by),
      reencrypt: (to, by) =>
        reencryptKeys({ store: storage.keyRing, from: keyEncryptionKey, to, by, now: runtime.now }),
    },
    audit: storage.audit,
    findEndingCredentials: storage.findEndingCredentials,
    authenticate: authenticateFor([serverManagementUri, serverManagementAppId], serverRoles),
  })
  const resourceManager = createResourceManagerApp({
    authUrl: baseUrl,
    authenticate: authenticateFor(
      [resourceManagerAppId, ...resourceManagerUris.flatMap((name) => [name, name.slice(0, -1)])],
      // It declares no role, but the guard requires at least one name.
      { none: true },
    ),
    store,
    report,
    runtime,
  })
  const app = new Hono()
  for (const path of graphPaths)
    mountOperations(app, path, createGraphApp({ ...graphOptions, path }))
  return mountOperations(app, serverManagementPath, server).route('/', resourceManager)
}
