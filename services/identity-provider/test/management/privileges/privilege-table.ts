import type { RequiredRoles } from '../../../src/management/privileges/caller.ts'
import type { Row } from './privilege-row.ts'
import { authorities, lists } from './trusted-authority-samples.ts'
import { typed } from './typed-privileges.ts'

const seesOwn: Row = {
  plain: 'allowed',
  peer: 'allowed',
  more: 'allowed',
  agentMore: 'allowed',
  api: 'resource_unknown',
  foreign: 'resource_unknown',
}
/** Removes a property of an application. Its own tenant decides that. */
const closes: Row = {
  plain: 'allowed',
  peer: 'allowed',
  more: 'role_not_owned',
  elsewhere: 'allowed',
  agent: 'allowed',
  agentMore: 'role_not_owned',
  api: 'resource_unknown',
  foreign: 'resource_unknown',
}
/** Adds a way to authenticate as an application, in every tenant with its service principal. */
const opens: Row = { ...closes, elsewhere: 'role_not_owned' }
const changesPrincipal: Row = { ...closes, parentMore: 'role_not_owned', api: 'protected_object' }
/** No policy has an effect on the management APIs. */
const assignsPolicy: Row = { ...changesPrincipal, api: 'allowed' }
/** Adds a way to authenticate in the tenant of the application, where it can change itself. */
const opensPrincipal: Row = { ...changesPrincipal, elsewhere: 'role_not_owned' }
const withoutCredentials: Row = {
  agent: 'agent_credentials_unsupported',
  agentMore: 'agent_credentials_unsupported',
}
const assigns: Row = {
  roleOfApi: 'allowed',
  ownRole: 'allowed',
  lackedRole: 'role_not_owned',
  outsider: 'reference_invalid',
}
const withdraws: Row = {
  roleOfApi: 'allowed',
  ownRole: 'allowed',
  lackedRole: 'role_not_owned',
  foreign: 'resource_unknown',
}
const seesAssignments: Row = { plain: 'allowed', more: 'allowed', foreign: 'resource_unknown' }
/** Changes a record of the client's service principal. */
const grantOf: Row = {
  plain: 'allowed',
  peer: 'allowed',
  more: 'role_not_owned',
  foreign: 'resource_unknown',
}
const tenantWide: Row = { tenantWide: 'allowed' }
const keys: Row = { keys: 'allowed' }

// Each group is one requirement: a caller has one of its roles.
const reading = ['Application.Read.All', 'Application.ReadWrite.All']
const granting = 'AppRoleAssignment.ReadWrite.All'
const anyone: RequiredRoles = []
const reads: RequiredRoles = [reading]
const writes: RequiredRoles = [['Application.ReadWrite.All']]
const sees: RequiredRoles = [[...reading, granting]]
const grants: RequiredRoles = [[granting], reading]
const seesPeople: RequiredRoles = [['User.Read.All', 'Directory.Read.All']]
const seesGroups: RequiredRoles = [['Group.Read.All', 'Directory.Read.All']]
const policyWriter = 'Policy.ReadWrite.ApplicationConfiguration'
const readsPolicies: RequiredRoles = [['Policy.Read.All', policyWriter]]
const writesPolicies: RequiredRoles = [[policyWriter]]
const seesPolicies: RequiredRoles = [...readsPolicies, reading]
const assignsManagement: RequiredRoles = [...writesPolicies, reading]
const assignsTokenPolicies: RequiredRoles = [...readsPolicies, ...writes]
const readsKeys: RequiredRoles = [['SigningKey.Read.All', 'SigningKey.ReadWrite.All']]
const writesKeys: RequiredRoles = [['SigningKey.ReadWrite.All']]
const readsAudit: RequiredRoles = [['AuditLog.Read.All']]
const readsTenants: RequiredRoles = [['Tenant.Read.All', 'Tenant.ReadWrite.All']]
const writesTenants: RequiredRoles = [['Tenant.ReadWrite.All']]

const credential = '/applications/{id}/federatedIdentityCredentials'
const extensions = '/applications/{id}/extensionProperties'
const assignedTo = '/servicePrincipals/{id}/appRoleAssignedTo'
const assignments = '/servicePrincipals/{id}/appRoleAssignments'
const policies = '/policies/appManagementPolicies'

/**
 * The required roles of each operation, and its outcome for a caller who has them. The table
 * repeats the operations on purpose, so that a new operation needs a row here.
 */
export const privilegeTable: Readonly<Record<string, readonly [RequiredRoles, Row]>> = {
  'POST /$batch': [anyone, { parts: 'allowed' }],
  'GET /$metadata': [anyone, tenantWide],
  'GET /organization': [sees, tenantWide],
  'GET /organization/{id}': [sees, tenantWide],
  'GET /domains': [sees, tenantWide],
  'GET /domains/{id}': [sees, tenantWide],
  'GET /tenantRelationships/{property}/{key}': [sees, tenantWide],
  'GET /me': [anyone, { user: 'delegated_only' }],
  'GET /me/{navigation}': [anyone, { user: 'delegated_only' }],
  'GET /users': [seesPeople, tenantWide],
  'GET /users/{id}': [seesPeople, tenantWide],
  'GET /users/{id}/appRoleAssignments': [seesPeople, tenantWide],
  'GET /users/{id}/ownedObjects': [[...seesPeople, ...reads], tenantWide],
  'GET /groups': [seesGroups, tenantWide],
  'GET /groups/{id}': [seesGroups, { tenantWide: 'resource_unknown' }],
  'POST /directoryObjects/getByIds': [reads, tenantWide],
  'POST /directoryObjects/getAvailableExtensionProperties': [[['Directory.Read.All']], tenantWide],
  'GET /directoryObjects/{id}': [reads, seesOwn],
  'DELETE /directoryObjects/{id}': [writes, closes],
  ...Object.fromEntries(typed),
  'GET /applications': [reads, tenantWide],
  'GET /applications/delta': [reads, tenantWide],
  'POST /applications': [writes, { fresh: 'allowed' }],
  'GET /applications/{id}': [reads, seesOwn],
  'PATCH /applications/{id}': [writes, closes],
  'DELETE /applications/{id}': [writes, closes],
  'POST /applications/{id}/addPassword': [writes, opens],
  'POST /applications/{id}/removePassword': [writes, closes],
  'POST /servicePrincipals/{id}/addPassword': [
    writes,
    { ...opensPrincipal, ...withoutCredentials },
  ],
  'POST /servicePrincipals/{id}/removePassword': [writes, changesPrincipal],
  'POST /applications/{id}/addKey': [writes, opens],
  'POST /applications/{id}/removeKey': [writes, closes],
  'POST /servicePrincipals/{id}/addKey': [writes, { ...opensPrincipal, ...withoutCredentials }],
  'POST /servicePrincipals/{id}/removeKey': [
    writes,
    { ...changesPrincipal, ...withoutCredentials },
  ],
  [`GET ${credential}`]: [reads, seesOwn],
  [`POST ${credential}`]: [writes, opens],
  [`GET ${credential}/{credential}`]: [reads, seesOwn],
  [`PATCH ${credential}/{credential}`]: [writes, opens],
  [`DELETE ${credential}/{credential}`]: [writes, closes],
  'GET /directory/deletedItems/microsoft.graph.application': [reads, tenantWide],
  'GET /directory/deletedItems/microsoft.graph.servicePrincipal': [reads, tenantWide],
  'GET /directory/deletedItems/{id}': [reads, seesOwn],
  'POST /directory/deletedItems/{id}/restore': [writes, opens],
  'DELETE /directory/deletedItems/{id}': [writes, closes],
  'GET /servicePrincipals': [reads, tenantWide],
  'GET /servicePrincipals/delta': [reads, tenantWide],
  'POST /servicePrincipals': [
    writes,
    {
      fresh: 'allowed',
      offered: 'allowed',
      api: 'service_principal_taken',
      foreign: 'application_of_principal_unknown',
    },
  ],
  'GET /servicePrincipals/{id}': [reads, { ...seesOwn, api: 'allowed' }],
  'PATCH /servicePrincipals/{id}': [writes, changesPrincipal],
  'DELETE /servicePrincipals/{id}': [writes, changesPrincipal],
  'GET /applications/{id}/owners': [reads, seesOwn],
  'POST /applications/{id}/owners/$ref': [writes, closes],
  'DELETE /applications/{id}/owners/{owner}/$ref': [writes, closes],
  'GET /servicePrincipals/{id}/owners': [reads, { ...seesOwn, api: 'allowed' }],
  'POST /servicePrincipals/{id}/owners/$ref': [writes, changesPrincipal],
  'DELETE /servicePrincipals/{id}/owners/{owner}/$ref': [
    writes,
    {
      ...changesPrincipal,
      api: 'resource_unknown',
    },
  ],
  'GET /servicePrincipals/{id}/ownedObjects': [reads, { ...seesOwn, api: 'allowed' }],
  'GET /servicePrincipals/{id}/createdObjects': [reads, { ...seesOwn, api: 'allowed' }],
  [`GET ${assignedTo}`]: [sees, { api: 'allowed', foreign: 'resource_unknown' }],
  [`POST ${assignedTo}`]: [grants, assigns],
  [`GET ${assignedTo}/{assignment}`]: [sees, { api: 'allowed', foreign: 'resource_unknown' }],
  [`DELETE ${assignedTo}/{assignment}`]: [grants, withdraws],
  [`GET ${assignments}`]: [sees, seesAssignments],
  [`POST ${assignments}`]: [grants, assigns],
  [`GET ${assignments}/{assignment}`]: [sees, { more: 'allowed', foreign: 'resource_unknown' }],
  [`DELETE ${assignments}/{assignment}`]: [grants, withdraws],
  'GET /oauth2PermissionGrants': [sees, tenantWide],
  'GET /oauth2PermissionGrants/delta': [sees, tenantWide],
  'POST /oauth2PermissionGrants': [grants, { ...changesPrincipal, foreign: 'reference_invalid' }],
  'GET /oauth2PermissionGrants/{grant}': [sees, { plain: 'allowed', more: 'allowed' }],
  'PATCH /oauth2PermissionGrants/{grant}': [grants, grantOf],
  'DELETE /oauth2PermissionGrants/{grant}': [grants, grantOf],
  'GET /servicePrincipals/{id}/oauth2PermissionGrants': [sees, seesAssignments],
  'POST /applicationTemplates/{id}/instantiate': [writes, { fresh: 'allowed' }],
  'GET /policies/defaultAppManagementPolicy': [readsPolicies, tenantWide],
  'PATCH /policies/defaultAppManagementPolicy': [writesPolicies, tenantWide],
  [`GET ${policies}`]: [readsPolicies, tenantWide],
  [`POST ${policies}`]: [writesPolicies, { fresh: 'allowed' }],
  [`GET ${policies}/{policy}`]: [readsPolicies, tenantWide],
  [`PATCH ${policies}/{policy}`]: [writesPolicies, tenantWide],
  [`DELETE ${policies}/{policy}`]: [writesPolicies, tenantWide],
  [`GET ${policies}/{policy}/appliesTo`]: [readsPolicies, tenantWide],
  'GET /applications/{id}/appManagementPolicies': [seesPolicies, seesOwn],
  'POST /applications/{id}/appManagementPolicies': [assignsManagement, closes],
  'DELETE /applications/{id}/appManagementPolicies/{policy}/$ref': [assignsManagement, closes],
  'GET /servicePrincipals/{id}/appManagementPolicies': [
    seesPolicies,
    { ...seesOwn, api: 'allowed' },
  ],
  'POST /servicePrincipals/{id}/appManagementPolicies': [assignsManagement, assignsPolicy],
  'DELETE /servicePrincipals/{id}/appManagementPolicies/{policy}/$ref': [
    assignsManagement,
    assignsPolicy,
  ],
  ...Object.fromEntries(
    ['tokenLifetimePolicies', 'claimsMappingPolicies'].flatMap((set) => [
      [`GET /policies/${set}`, [readsPolicies, tenantWide]],
      [`POST /policies/${set}`, [writesPolicies, { fresh: 'allowed' }]],
      [`GET /policies/${set}/{policy}`, [readsPolicies, tenantWide]],
      [`PATCH /policies/${set}/{policy}`, [writesPolicies, tenantWide]],
      [`DELETE /policies/${set}/{policy}`, [writesPolicies, tenantWide]],
      [`GET /policies/${set}/{policy}/appliesTo`, [readsPolicies, tenantWide]],
      [`GET /servicePrincipals/{id}/${set}`, [seesPolicies, { ...seesOwn, api: 'allowed' }]],
      [`POST /servicePrincipals/{id}/${set}`, [assignsTokenPolicies, assignsPolicy]],
      [
        `DELETE /servicePrincipals/{id}/${set}/{policy}/$ref`,
        [assignsTokenPolicies, assignsPolicy],
      ],
    ]),
  ),
  'GET /applications/{id}/tokenLifetimePolicies': [seesPolicies, seesOwn],
  'POST /applications/{id}/tokenLifetimePolicies': [assignsTokenPolicies, closes],
  'DELETE /applications/{id}/tokenLifetimePolicies/{policy}/$ref': [assignsTokenPolicies, closes],
  [`GET ${extensions}`]: [reads, seesOwn],
  [`POST ${extensions}`]: [writes, closes],
  [`GET ${extensions}/{extension}`]: [reads, seesOwn],
  [`DELETE ${extensions}/{extension}`]: [writes, closes],
  [`GET ${lists}`]: [readsPolicies, tenantWide],
  [`POST ${lists}`]: [writesPolicies, { fresh: 'allowed' }],
  [`GET ${lists}/{policy}`]: [readsPolicies, tenantWide],
  [`PATCH ${lists}/{policy}`]: [writesPolicies, tenantWide],
  [`DELETE ${lists}/{policy}`]: [writesPolicies, tenantWide],
  [`GET ${authorities}`]: [readsPolicies, tenantWide],
  [`POST ${authorities}`]: [writesPolicies, tenantWide],
  [`GET ${authorities}/{authority}`]: [readsPolicies, tenantWide],
  [`PATCH ${authorities}/{authority}`]: [writesPolicies, tenantWide],
  [`DELETE ${authorities}/{authority}`]: [writesPolicies, tenantWide],
  'GET /applications/{id}/{property}': [reads, seesOwn],
  'GET /servicePrincipals/{id}/{property}': [reads, { ...seesOwn, api: 'allowed' }],
  'GET /keys': [readsKeys, keys],
  'POST /keys/rotate': [writesKeys, keys],
  'POST /keys/{kid}/revoke': [writesKeys, keys],
  'POST /keys/reencrypt': [writesKeys, keys],
  'GET /audit': [readsAudit, { audit: 'allowed' }],
  'GET /audit/hours': [readsAudit, { audit: 'allowed' }],
  'GET /credentials': [readsAudit, { ownTenant: 'allowed' }],
  'GET /tenants': [readsTenants, { allTenants: 'allowed' }],
  'POST /tenants': [writesTenants, { fresh: 'allowed', chosenId: 'body_invalid' }],
  'GET /tenants/{id}': [
    readsTenants,
    {
      ownTenant: 'allowed',
      otherTenant: 'allowed',
      ownerTenant: 'resource_unknown',
    },
  ],
  'PATCH /tenants/{id}': [
    writesTenants,
    {
      ownTenant: 'allowed',
      ownTenantDisabled: 'protected_object',
      otherTenant: 'allowed',
      ownerTenant: 'resource_unknown',
    },
  ],
  'POST /tenants/{id}/administrator': [
    writesTenants,
    {
      ownTenant: 'role_not_owned',
      otherTenant: 'allowed',
      ownerTenant: 'resource_unknown',
    },
  ],
}
