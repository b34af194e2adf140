import type { RequiredRoles } from '../../../src/management/privileges/caller.ts'
import type { Row } from './privilege-row.ts'

const fresh: Row = { fresh: 'allowed' }
const tenantWide: Row = { tenantWide: 'allowed' }
const unknown: Row = { plain: 'resource_unknown', foreign: 'resource_unknown' }
const reading = ['Application.Read.All', 'Application.ReadWrite.All']
const credential = '/applications/{id}/federatedIdentityCredentials'

type Type = 'agentIdentityBlueprint' | 'agentIdentityBlueprintPrincipal' | 'agentIdentity'
type Access = 'read' | 'create' | 'update' | 'write' | 'credentials' | 'inherit'
const writing = 'Application.ReadWrite.All'
const ofBlueprints = (...verbs: readonly string[]) => [
  ...verbs.map((verb) => `AgentIdentityBlueprint.${verb}`),
  'AgentIdentityBlueprint.ReadWrite.All',
  writing,
]
const ofPrincipals = ['AgentIdentityBlueprintPrincipal.ReadWrite.All', writing]
const ofAgents = ['AgentIdentity.ReadWrite.All', writing]

/** The roles for a kind of access to the objects of a type. The update of these tests is that of a name. */
const rolesOfTypes: Readonly<Record<Type, Partial<Record<Access, readonly string[]>>>> = {
  agentIdentityBlueprint: {
    read: [...ofBlueprints('Read.All'), ...reading],
    create: ofBlueprints('Create'),
    update: ofBlueprints('UpdateBranding.All'),
    write: ofBlueprints(),
    credentials: ofBlueprints('AddRemoveCreds.All'),
    inherit: ofBlueprints('Create', 'UpdateAuthProperties.All'),
  },
  agentIdentityBlueprintPrincipal: {
    read: [...ofPrincipals, ...reading, 'AgentIdentityBlueprintPrincipal.Read.All'],
    create: [...ofPrincipals, 'AgentIdentityBlueprintPrincipal.Create'],
    update: ofPrincipals,
    write: ofPrincipals,
  },
  agentIdentity: {
    read: [...ofAgents, ...reading, 'AgentIdentity.Read.All'],
    create: [...ofAgents, 'AgentIdentity.Create.All'],
    update: ofAgents,
    write: ofAgents,
  },
}

/** What is refused to a caller with the roles of a typed path. */
const onTypes: Readonly<Record<Type, Record<'lists' | 'creates' | 'sees' | 'changes', Row>>> = {
  agentIdentityBlueprint: {
    lists: tenantWide,
    creates: fresh,
    sees: { ...unknown, agent: 'allowed', agentMore: 'allowed' },
    changes: { ...unknown, agent: 'allowed', agentMore: 'role_not_owned' },
  },
  agentIdentityBlueprintPrincipal: {
    lists: tenantWide,
    creates: { ...fresh, plain: 'blueprint_required' },
    sees: { ...unknown, agent: 'resource_unknown', parent: 'allowed' },
    changes: {
      ...unknown,
      agent: 'resource_unknown',
      parent: 'allowed',
      parentMore: 'role_not_owned',
    },
  },
  agentIdentity: {
    lists: tenantWide,
    creates: fresh,
    sees: { ...unknown, parent: 'resource_unknown', agent: 'allowed', agentMore: 'allowed' },
    changes: {
      ...unknown,
      parent: 'resource_unknown',
      agent: 'allowed',
      agentMore: 'role_not_owned',
    },
  },
}

const ofApplications: readonly Type[] = ['agentIdentityBlueprint']
const ofServicePrincipals: readonly Type[] = ['agentIdentityBlueprintPrincipal', 'agentIdentity']

type TypedRow = readonly [
  operation: string,
  types: readonly Type[],
  access: Access,
  does: 'lists' | 'creates' | 'sees' | 'changes',
]

const references = (set: string, types: readonly Type[], name: string): readonly TypedRow[] => [
  [`GET /${set}/{id}/${name}`, types, 'read', 'sees'],
  [`POST /${set}/{id}/${name}/$ref`, types, 'write', 'changes'],
  [`DELETE /${set}/{id}/${name}/{owner}/$ref`, types, 'write', 'changes'],
]

const objects = (set: string, types: readonly Type[]): readonly TypedRow[] => [
  [`GET /${set}`, types, 'read', 'lists'],
  [`POST /${set}`, types, 'create', 'creates'],
  [`GET /${set}/{id}`, types, 'read', 'sees'],
  [`PATCH /${set}/{id}`, types, 'update', 'changes'],
  [`DELETE /${set}/{id}`, types, 'write', 'changes'],
]

const inheritable = '/applications/{id}/inheritablePermissions'

const typedRows: readonly TypedRow[] = [
  ...objects('applications', ofApplications),
  ['POST /applications/{id}/addPassword', ofApplications, 'credentials', 'changes'],
  ['POST /applications/{id}/removePassword', ofApplications, 'credentials', 'changes'],
  ['POST /applications/{id}/addKey', ofApplications, 'credentials', 'changes'],
  ['POST /applications/{id}/removeKey', ofApplications, 'credentials', 'changes'],
  [`GET ${credential}`, ofApplications, 'read', 'sees'],
  [`POST ${credential}`, ofApplications, 'credentials', 'changes'],
  [`GET ${credential}/{credential}`, ofApplications, 'read', 'sees'],
  [`PATCH ${credential}/{credential}`, ofApplications, 'credentials', 'changes'],
  [`DELETE ${credential}/{credential}`, ofApplications, 'credentials', 'changes'],
  ['GET /directory/deletedItems', ofApplications, 'read', 'lists'],
  ['GET /directory/deletedItems', ofServicePrincipals, 'read', 'lists'],
  ...objects('servicePrincipals', ofServicePrincipals),
  ...references('applications', ofApplications, 'owners'),
  ...references('servicePrincipals', ofServicePrincipals, 'owners'),
  ['GET /servicePrincipals/{id}/ownedObjects', ofServicePrincipals, 'read', 'sees'],
  ['GET /servicePrincipals/{id}/createdObjects', ofServicePrincipals, 'read', 'sees'],
  ...references('applications', ofApplications, 'sponsors'),
  ...references('servicePrincipals', ofServicePrincipals, 'sponsors'),
  [`GET ${inheritable}`, ofApplications, 'read', 'sees'],
  [`POST ${inheritable}`, ofApplications, 'inherit', 'changes'],
  [`GET ${inheritable}/{resource}`, ofApplications, 'read', 'sees'],
  [`PATCH ${inheritable}/{resource}`, ofApplications, 'inherit', 'changes'],
  [`DELETE ${inheritable}/{resource}`, ofApplications, 'inherit', 'changes'],
]

/** A path with a cast to a type. */
export const castTo = (path: string, type: string): string =>
  path.replace(
    /\/(?:directory\/deletedItems|(?:applications|servicePrincipals)(?:\/(?!\$)[^/]+)?)/,
    `$&/microsoft.graph.${type}`,
  )

/** The rows of the paths with a cast to a type of agents. */
export const typed: readonly (readonly [string, readonly [RequiredRoles, Row]])[] =
  typedRows.flatMap(([operation, types, access, does]) =>
    types.map((type) => [
      castTo(operation, type),
      [[rolesOfTypes[type][access] ?? []], onTypes[type][does]],
    ]),
  )
