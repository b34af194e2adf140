import { parseQuery, supportedOptions } from '../../odata/query-options.ts'
import type { ReadOperation } from '../../operations/operation.ts'
import { anyClient } from '../../privileges/graph-roles.ts'
import { federatedIdentityCredentials } from '../applications/federated-identity-credential-operations.ts'
import {
  applications,
  appRoleAssignments,
  directoryObjects,
  servicePrincipals,
} from '../directory-objects/entity-sets.ts'
import { permissionGrants } from '../service-principals/permission-grant-operations.ts'
import { domains, organization } from '../tenant-operations.ts'
import { type ModelSet, metadataDocument } from './metadata-document.ts'

const secretActions: ModelSet['actions'] = {
  addPassword: {
    parameters: { passwordCredential: 'graph.passwordCredential' },
    returns: 'graph.passwordCredential',
  },
  removePassword: { parameters: { keyId: 'Edm.Guid' } },
}
const owners = { owners: 'directoryObject' }

/** The sets of this API. */
export const model: readonly ModelSet[] = [
  { set: directoryObjects, actions: { restore: { returns: 'graph.directoryObject' } } },
  {
    set: applications,
    navigation: { ...owners, federatedIdentityCredentials: 'federatedIdentityCredential' },
    actions: secretActions,
    hasChanges: true,
  },
  {
    set: servicePrincipals,
    navigation: {
      ...owners,
      appRoleAssignedTo: 'appRoleAssignment',
      appRoleAssignments: 'appRoleAssignment',
      oauth2PermissionGrants: 'oAuth2PermissionGrant',
    },
    actions: secretActions,
    hasChanges: true,
  },
  { set: federatedIdentityCredentials, isContained: true },
  { set: appRoleAssignments, isContained: true },
  { set: permissionGrants },
  { set: organization },
  { set: domains },
]

/** The document never changes. A batch may request it 20 times. */
let document: string | undefined

/** The model of this API, for OData tools. */
export const metadataOperations: readonly ReadOperation[] = [
  {
    method: 'GET',
    path: '/$metadata',
    requires: anyClient,
    summary: 'Shows the types of all objects and their properties, in XML.',
    read: (call) => {
      parseQuery(call, supportedOptions.nothing)
      const contentType = 'application/xml; charset=utf-8'
      document ??= metadataDocument(model)
      return { status: 200, content: document, contentType }
    },
  },
]
