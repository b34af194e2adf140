import type { DirectoryObjects } from '@greeting/directory'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { listEntities } from '../../odata/list-entities.ts'
import {
  type ChangingCall,
  type DirectoryOperation,
  operation,
} from '../../operations/operation.ts'
import { readsApplications, writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { directoryObjects } from './entity-sets.ts'
import { activeOwners, ownerOf } from './find-object.ts'
import { maxOwners, maxSponsors, objectReference, sponsorReference } from './object-body.ts'
import {
  applicationRow,
  type ObjectKind,
  type ObjectRow,
  principalRow,
  stored,
} from './object-operations.ts'
import { baseTypeOf, type DirectoryObject, endsOfList, isAsked } from './object-type.ts'

/** Where an object has the IDs of a collection of references. */
type References<Kind extends ObjectKind> = {
  readonly name: 'owners' | 'sponsors'
  readonly idsOf: (object: DirectoryObjects[Kind]) => readonly string[]
  readonly withIds: (
    object: DirectoryObjects[Kind],
    ids: readonly string[],
  ) => DirectoryObjects[Kind]
}

const operationsOf = <Kind extends ObjectKind>(
  { find, kind, one, set }: ObjectRow<Kind>,
  { name, idsOf, withIds }: References<Kind>,
): DirectoryOperation[] => {
  const isOfOwners = name === 'owners'
  const action = isOfOwners ? 'Owner' : 'Sponsor'
  const body = z.strictObject({ '@odata.id': isOfOwners ? objectReference : sponsorReference })
  const path = `/${set.name}/{id}/${name}`
  return [
    operation(`GET ${path}`, readsApplications, {
      ends: isOfOwners ? endsOfList('user', 'servicePrincipal') : endsOfList(),
      access: 'read',
      summary: `Lists the ${name} of ${one}, or counts them. Ownership grants no permission.`,
      read: (call) => {
        const object = find(call)
        const ids = idsOf(object)
        if (!isOfOwners)
          return listEntities(
            call,
            sponsors,
            Array.from(ids, (id) => ({ id })),
          )
        const found = activeOwners(call.directory, object.tenantId, ids)
        const asked = found.filter((owner) => isAsked(call, baseTypeOf(owner)))
        return listEntities(call, directoryObjects, asked)
      },
    }),
    operation(`POST ${path}/$ref`, writesApplications, {
      access: 'write',
      summary: `Adds ${isOfOwners ? 'a user or a service principal' : 'a user or a group'} to the ${name} of ${one}.`,
      action: `${kind}.add${action}`,
      change: (call) => {
        const object = find(call)
        const { '@odata.id': id } = parseBody(body, call.body)
        const ids = isOfOwners
          ? withOwners(idsOf(object), [id], call)
          : withSponsors(idsOf(object), [id])
        return stored(kind, withIds(object, ids))
      },
    }),
    operation(`DELETE ${path}/{owner}/$ref`, writesApplications, {
      access: 'write',
      summary: `Removes one of the ${name} of ${one}.`,
      action: `${kind}.remove${action}`,
      change: (call) => {
        const object = find(call)
        const { owner = '' } = call.parameters
        const ids = idsOf(object).filter((id) => id !== owner.toLowerCase())
        if (ids.length === idsOf(object).length) throw refuse('resource_unknown', owner)
        return stored(kind, withIds(object, ids))
      },
    }),
  ]
}

const owners = {
  name: 'owners',
  idsOf: ({ ownerIds }: DirectoryObject) => ownerIds,
  withIds: <One extends DirectoryObject>(one: One, ownerIds: readonly string[]) => ({
    ...one,
    ownerIds,
  }),
} as const

/** The operations on the owners of applications and service principals. */
export const ownerOperations: readonly DirectoryOperation[] = [
  ...operationsOf(applicationRow, owners),
  ...operationsOf(principalRow, owners),
]

/** The operations on the sponsors of agents and blueprints: users and groups, of which only the IDs are known. */
export const sponsorOperations: readonly DirectoryOperation[] = [
  ...operationsOf(applicationRow, {
    name: 'sponsors',
    idsOf: ({ blueprint }) => blueprint?.sponsorIds ?? [],
    withIds: (one, sponsorIds) => ({
      ...one,
      blueprint: one.blueprint && { ...one.blueprint, sponsorIds },
    }),
  }),
  ...operationsOf(principalRow, {
    name: 'sponsors',
    idsOf: ({ sponsorIds }) => sponsorIds,
    withIds: (one, sponsorIds) => ({ ...one, sponsorIds }),
  }),
]

const sponsors: EntitySet<{ readonly id: string }> = {
  name: 'directoryObjects',
  type: 'directoryObject',
  keyOf: ({ id }) => id,
  typeOf: () => 'directoryObject',
  properties: { id: { type: 'Edm.String', filter: 'value', show: ({ id }) => id } },
}

/**
 * Returns the owners of an object with additional ones. An owner must be a user or a service principal of the tenant.
 *
 * @param isOfBlueprint whether the caller creates a blueprint or its principal, and owns it (entra E356)
 * @throws {GraphError} graph_refusal resource_unknown, reference_type_invalid, reference_taken, body_invalid.
 */
export function withOwners(
  before: readonly string[],
  added: readonly string[],
  { caller: { applicationId, tenantId }, committed, directory }: ChangingCall,
  isOfBlueprint = false,
): readonly string[] {
  for (const id of added) {
    if (ownerOf(directory, tenantId, id) !== undefined) continue
    const isApplication = directory.application(id)?.tenantId === tenantId
    throw isApplication
      ? refuse('reference_type_invalid', 'Application', id, 'owners')
      : refuse('resource_unknown', id)
  }
  const ids = withReferences(before, added, 'owners', maxOwners)
  const creator = isOfBlueprint && committed.servicePrincipalByAppId(tenantId, applicationId)
  return creator ? [...new Set([...ids, creator.id])] : ids
}

/**
 * Returns the sponsors of an object with additional ones.
 * @throws {GraphError} graph_refusal reference_taken, body_invalid.
 */
export const withSponsors = (before: readonly string[], added: readonly string[]) =>
  withReferences(before, added, 'sponsors', maxSponsors)

function withReferences(
  before: readonly string[],
  added: readonly string[],
  property: string,
  max: number,
): readonly string[] {
  const ids = [...before, ...added]
  if (new Set(ids).size < ids.length) throw refuse('reference_taken', property)
  if (ids.length <= max) return ids
  throw refuse('body_invalid', `An object must not have more than ${max} ${property}.`)
}

/**
 * Requires at least one sponsor of an agent object, and none of any other.
 *
 * @throws {GraphError} graph_refusal body_invalid.
 */
export function requireSponsors(sponsorIds: readonly string[], isOfAgents: boolean): void {
  if (isOfAgents === sponsorIds.length > 0) return
  const rule = isOfAgents ? 'is required' : 'cannot be set here'
  throw refuse('body_invalid', `Property 'sponsors' ${rule}.`)
}
