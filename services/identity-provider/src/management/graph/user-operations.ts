import type { Tenant } from '@greeting/directory'
import type { EntitySet } from '../odata/entity-set.ts'
import { listEntities } from '../odata/list-entities.ts'
import { showEntity } from '../odata/show-entity.ts'
import { type Call, operation, type ReadOperation } from '../operations/operation.ts'
import { readsGroups, readsPeople } from '../privileges/graph-roles.ts'
import { refuse } from '../refusals/graph-error.ts'
import { appRoleAssignments } from './directory-objects/entity-sets.ts'
import { findUser } from './directory-objects/find-object.ts'
import { endsOfList } from './directory-objects/object-type.ts'
import { groups, users, usersOf } from './directory-objects/user.ts'

/** The operations to read one set of objects that no client can change. */
const readOperations = <Entity>(
  set: EntitySet<Entity>,
  requires: ReadOperation['requires'],
  entitiesOf: (tenant: Tenant) => readonly Entity[],
  find: (call: Call) => Entity,
): ReadOperation[] => [
  operation(`GET /${set.name}`, requires, {
    ends: endsOfList(),
    summary: `Lists the ${set.name} of the tenant, or counts them.`,
    read: (call) => listEntities(call, set, entitiesOf(call.caller.tenant)),
  }),
  operation(`GET /${set.name}/{id}`, requires, {
    summary: `Shows one of the ${set.name}.`,
    read: (call) => showEntity(call, set, find(call)),
  }),
]

/**
 * The operations on users and groups, which Microsoft's samples read first: each tenant has three
 * users, who never authenticate and have no roles, and no groups.
 */
export const userOperations: readonly ReadOperation[] = [
  ...readOperations(users, readsPeople, usersOf, findUser),
  operation('GET /users/{id}/appRoleAssignments', readsPeople, {
    summary: 'Lists the roles of a person: none.',
    read: (call) => {
      findUser(call)
      return listEntities(call, appRoleAssignments, [])
    },
  }),
  ...readOperations(
    groups,
    readsGroups,
    () => [],
    ({ parameters: { id = '' } }) => {
      throw refuse('resource_unknown', id)
    },
  ),
]
