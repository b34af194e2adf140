// Folder: The part of Microsoft Graph: one list of all its operations, in their order.

import { graphAppId, type Runtime, systemRuntime } from '@greeting/directory'
import { baseUrl } from '@greeting/directory/forms'
import type { Hono } from 'hono'
import { z } from 'zod'
import type { OperationContext } from '../operations/execute-operation.ts'
import { graphPath, type graphPaths } from '../operations/management-paths.ts'
import type { BatchOperation, DirectoryOperation } from '../operations/operation.ts'
import { createOperationsApp } from '../operations/operations-app.ts'
import { SkipTokens } from '../operations/skip-tokens.ts'
import { inheritablePermissionOperations } from './agents/inheritable-permission-operations.ts'
import { typedOperations } from './agents/typed-operations.ts'
import { applicationOperations } from './applications/application-operations.ts'
import { applicationTemplateOperations } from './applications/application-template-operations.ts'
import { extensionPropertyOperations } from './applications/extension-property-operations.ts'
import { federatedIdentityCredentialOperations } from './applications/federated-identity-credential-operations.ts'
import { batchOperations } from './batch-operation.ts'
import { deletedItemOperations } from './directory-objects/deleted-item-operations.ts'
import { directoryObjectOperations } from './directory-objects/directory-object-operations.ts'
import { keyOperations } from './directory-objects/key-operations.ts'
import { propertyOperations } from './directory-objects/object-operations.ts'
import { ownedObjectOperations } from './directory-objects/owned-object-operations.ts'
import { ownerOperations, sponsorOperations } from './directory-objects/owner-operations.ts'
import { passwordOperations } from './directory-objects/password-operations.ts'
import { metadataOperations } from './metadata-operations.ts'
import { organizationOperations } from './organization-operations.ts'
import { appManagementPolicyOperations } from './policies/app-management-policy-operations.ts'
import { tokenPolicyOperations } from './policies/token-policy-operations.ts'
import { trustedAuthorityOperations } from './policies/trusted-authority-operations.ts'
import { appRoleAssignmentOperations } from './service-principals/app-role-assignment-operations.ts'
import { permissionGrantOperations } from './service-principals/permission-grant-operations.ts'
import { servicePrincipalOperations } from './service-principals/service-principal-operations.ts'
import { userOperations } from './user-operations.ts'

/** The operations on objects that have types of agents too. */
const withTypes: readonly DirectoryOperation[] = [
  ...applicationOperations,
  ...passwordOperations,
  ...keyOperations,
  ...federatedIdentityCredentialOperations,
  ...deletedItemOperations,
  ...servicePrincipalOperations,
  ...ownerOperations,
  ...ownedObjectOperations,
]

/** All operations of the supported part of Microsoft Graph v1.0. */
export const graphOperations: readonly (DirectoryOperation | BatchOperation)[] = [
  ...batchOperations,
  ...metadataOperations,
  ...organizationOperations,
  ...userOperations,
  ...directoryObjectOperations,
  // A router would take their casts for the key of an object.
  ...typedOperations(withTypes),
  ...typedOperations([...sponsorOperations, ...inheritablePermissionOperations], 'own'),
  ...withTypes,
  ...extensionPropertyOperations,
  ...appRoleAssignmentOperations,
  ...permissionGrantOperations,
  ...applicationTemplateOperations,
  ...appManagementPolicyOperations,
  ...tokenPolicyOperations,
  ...trustedAuthorityOperations,
  ...propertyOperations,
]

const maxVisibilityDelaySeconds = 3600
/** As in Microsoft Entra ID. */
const defaultRetentionDays = 30

const settingsSchema = z.strictObject({
  baseUrl,
  visibilityDelaySeconds: z.int().min(0).max(maxVisibilityDelaySeconds),
})

export type GraphAppOptions = Pick<
  OperationContext,
  | 'authenticate'
  | 'credentialUses'
  | 'latestAgreed'
  | 'possessionRules'
  | 'recordRefusal'
  | 'report'
  | 'store'
  | 'warn'
> & {
  /** The path at which the app is mounted; default `/v1.0`. */
  readonly path?: (typeof graphPaths)[number]
  /** The `baseUrl` of Microsoft's SDKs: a URL without version and without a slash at its end. */
  readonly baseUrl: string
  /** How long new objects are not visible, 0 to 3600 seconds; default 0. */
  readonly visibilityDelaySeconds?: number
  /** How long a deleted item can be restored, 1 to 3650 days; default 30. */
  readonly retentionDays?: number
  /** At least 32 bytes, the same for all replicas; default: random bytes, for one process. */
  readonly skipTokenKey?: Uint8Array
  readonly runtime?: Runtime
}

/**
 * Creates the part of Microsoft Graph v1.0 that the six registration steps use.
 *
 * @returns an app to mount at `path`
 * @throws {ZodError} when `baseUrl` or `visibilityDelaySeconds` is invalid.
 * @throws {TypeError} when `skipTokenKey` is too short.
 * @see https://learn.microsoft.com/graph/api/resources/application
 */
export function createGraphApp(options: GraphAppOptions): Hono {
  const { baseUrl, visibilityDelaySeconds } = settingsSchema.parse({
    baseUrl: options.baseUrl,
    visibilityDelaySeconds: options.visibilityDelaySeconds ?? 0,
  })
  const { path = graphPath } = options
  return createOperationsApp(graphOperations, {
    ...options,
    apiAppId: graphAppId,
    mountPath: path,
    rootUrl: `${baseUrl}${path}`,
    skipTokens: new SkipTokens(options.skipTokenKey),
    runtime: options.runtime ?? systemRuntime,
    visibilityDelaySeconds,
    retentionDays: options.retentionDays ?? defaultRetentionDays,
  })
}
