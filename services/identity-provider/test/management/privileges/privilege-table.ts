import type { RefusalName } from '../../../src/management/refusals/refusals.ts'

/** The objects of operations, in the words of the reference page. */
export const targets = {
  tenantWide: 'everything of its tenant',
  parts: 'requests, each with its own row of this table',
  user: 'a signed-in user',
  fresh: 'a new object',
  plain: 'a client without management roles',
  peer: 'a client with the management roles of the caller',
  more: 'a client with a management role that the caller lacks',
  elsewhere: 'an application with management roles in another tenant',
  offered: 'an application that another tenant offers',
  api: 'a management API',
  foreign: 'an object of another tenant',
  roleOfApi: 'a role of another API',
  ownRole: 'a management role of the caller',
  lackedRole: 'a management role that the caller lacks',
  outsider: 'a client of another tenant',
  keys: 'the signing keys, which all tenants have in common',
  audit: 'the records of all tenants',
  chosenId: 'a tenant with an id that the caller chooses',
  allTenants: 'all tenants',
  ownTenant: "the caller's own tenant",
  ownTenantDisabled: "disabling the caller's own tenant",
  otherTenant: 'another tenant',
  ownerTenant: 'the tenant that owns the management APIs',
} as const

export type Target = keyof typeof targets
export type Outcome = 'allowed' | RefusalName
type Row = { readonly [Which in Target]?: Outcome }

const seesOwn: Row = {
  plain: 'allowed',
  peer: 'allowed',
  more: 'allowed',
  api: 'resource_unknown',
  foreign: 'resource_unknown',
}
/** Removes a property of an application. Its own tenant decides that. */
const closes: Row = {
  plain: 'allowed',
  peer: 'allowed',
  more: 'role_not_owned',
  elsewhere: 'allowed',
  api: 'resource_unknown',
  foreign: 'resource_unknown',
}
/** Adds a way to authenticate as an application, in every tenant with its service principal. */
const opens: Row = { ...closes, elsewhere: 'role_not_owned' }
const changesPrincipal: Row = { ...closes, api: 'protected_object' }
/** Adds a way to authenticate in the tenant of the application, where it can change itself. */
const opensPrincipal: Row = { ...changesPrincipal, elsewhere: 'role_not_owned' }
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

const credential = '/applications/{id}/federatedIdentityCredentials'
const assignedTo = '/servicePrincipals/{id}/appRoleAssignedTo'
const assignments = '/servicePrincipals/{id}/appRoleAssignments'

/**
 * The outcome of each operation for a caller with the required roles. It repeats the operations on
 * purpose: a new operation needs a row here.
 */
export const privilegeTable: Readonly<Record<string, Row>> = {
  'POST /$batch': { parts: 'allowed' },
  'GET /$metadata': tenantWide,
  'GET /organization': tenantWide,
  'GET /domains': tenantWide,
  'GET /me': { user: 'delegated_only' },
  'GET /me/{navigation}': { user: 'delegated_only' },
  'POST /directoryObjects/getByIds': tenantWide,
  'GET /directoryObjects/{id}': seesOwn,
  'GET /applications': tenantWide,
  'GET /applications/$count': tenantWide,
  'GET /applications/delta': tenantWide,
  'POST /applications': { fresh: 'allowed' },
  'GET /applications/{id}': seesOwn,
  'PATCH /applications/{id}': closes,
  'DELETE /applications/{id}': closes,
  'POST /applications/{id}/addPassword': opens,
  'POST /applications/{id}/removePassword': closes,
  'POST /servicePrincipals/{id}/addPassword': opensPrincipal,
  'POST /servicePrincipals/{id}/removePassword': changesPrincipal,
  [`GET ${credential}`]: seesOwn,
  [`POST ${credential}`]: opens,
  [`GET ${credential}/{credential}`]: seesOwn,
  [`PATCH ${credential}/{credential}`]: opens,
  [`DELETE ${credential}/{credential}`]: closes,
  'GET /directory/deletedItems/microsoft.graph.application': tenantWide,
  'GET /directory/deletedItems/microsoft.graph.servicePrincipal': tenantWide,
  'GET /directory/deletedItems/{id}': seesOwn,
  'POST /directory/deletedItems/{id}/restore': opens,
  'DELETE /directory/deletedItems/{id}': closes,
  'GET /servicePrincipals': tenantWide,
  'GET /servicePrincipals/$count': tenantWide,
  'GET /servicePrincipals/delta': tenantWide,
  'POST /servicePrincipals': {
    fresh: 'allowed',
    offered: 'allowed',
    api: 'service_principal_taken',
    foreign: 'application_of_principal_unknown',
  },
  'GET /servicePrincipals/{id}': { ...seesOwn, api: 'allowed' },
  'PATCH /servicePrincipals/{id}': changesPrincipal,
  'DELETE /servicePrincipals/{id}': changesPrincipal,
  'GET /applications/{id}/owners': seesOwn,
  'POST /applications/{id}/owners/$ref': closes,
  'DELETE /applications/{id}/owners/{owner}/$ref': closes,
  'GET /servicePrincipals/{id}/owners': { ...seesOwn, api: 'allowed' },
  'POST /servicePrincipals/{id}/owners/$ref': changesPrincipal,
  'DELETE /servicePrincipals/{id}/owners/{owner}/$ref': {
    ...changesPrincipal,
    api: 'resource_unknown',
  },
  [`GET ${assignedTo}`]: { api: 'allowed', foreign: 'resource_unknown' },
  [`POST ${assignedTo}`]: assigns,
  [`GET ${assignedTo}/{assignment}`]: { api: 'allowed', foreign: 'resource_unknown' },
  [`DELETE ${assignedTo}/{assignment}`]: withdraws,
  [`GET ${assignments}`]: seesAssignments,
  [`POST ${assignments}`]: assigns,
  [`GET ${assignments}/{assignment}`]: { more: 'allowed', foreign: 'resource_unknown' },
  [`DELETE ${assignments}/{assignment}`]: withdraws,
  'GET /oauth2PermissionGrants': tenantWide,
  'POST /oauth2PermissionGrants': { ...changesPrincipal, foreign: 'reference_invalid' },
  'GET /oauth2PermissionGrants/{grant}': { plain: 'allowed', more: 'allowed' },
  'PATCH /oauth2PermissionGrants/{grant}': grantOf,
  'DELETE /oauth2PermissionGrants/{grant}': grantOf,
  'GET /servicePrincipals/{id}/oauth2PermissionGrants': seesAssignments,
  'POST /applicationTemplates/{id}/instantiate': { fresh: 'allowed' },
  'GET /applications/{id}/{property}': seesOwn,
  'GET /servicePrincipals/{id}/{property}': { ...seesOwn, api: 'allowed' },
  'GET /keys': keys,
  'POST /keys/rotate': keys,
  'POST /keys/{kid}/revoke': keys,
  'POST /keys/reencrypt': keys,
  'GET /audit': { audit: 'allowed' },
  'GET /credentials': { ownTenant: 'allowed' },
  'GET /tenants': { allTenants: 'allowed' },
  'POST /tenants': { fresh: 'allowed', chosenId: 'body_invalid' },
  'GET /tenants/{id}': {
    ownTenant: 'allowed',
    otherTenant: 'allowed',
    ownerTenant: 'resource_unknown',
  },
  'PATCH /tenants/{id}': {
    ownTenant: 'allowed',
    ownTenantDisabled: 'protected_object',
    otherTenant: 'allowed',
    ownerTenant: 'resource_unknown',
  },
  'POST /tenants/{id}/administrator': {
    ownTenant: 'role_not_owned',
    otherTenant: 'allowed',
    ownerTenant: 'resource_unknown',
  },
}
