import type { Directory } from '@greeting/directory'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import { listEntities } from '../../odata/list-entities.ts'
import type {
  Change,
  ChangeOperation,
  ChangingCall,
  ReadOperation,
} from '../../operations/operation.ts'
import { readsApplications, writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { directoryObjects } from './entity-sets.ts'
import { activeOwners, activeServicePrincipal } from './find-object.ts'
import { maxOwners, objectReference } from './object-body.ts'
import {
  applicationRow,
  type ObjectKind,
  type ObjectRow,
  principalRow,
  stored,
} from './object-operations.ts'

const operationsOf = <Kind extends ObjectKind>(
  row: ObjectRow<Kind>,
): (ReadOperation | ChangeOperation)[] => [
  {
    method: 'GET',
    path: `/${row.set.name}/{id}/owners`,
    requires: readsApplications,
    summary: `Lists the owners of ${row.one}. An owner has no right because of it.`,
    read: (call) => {
      const { ownerIds, tenantId } = row.find(call)
      return listEntities(call, directoryObjects, activeOwners(call.directory, tenantId, ownerIds))
    },
  },
  {
    method: 'POST',
    path: `/${row.set.name}/{id}/owners/$ref`,
    requires: writesApplications,
    summary: `Adds a service principal to the owners of ${row.one}.`,
    takesBody: true,
    action: `${row.kind}.addOwner`,
    change: (call) => addOwner(call, row),
  },
  {
    method: 'DELETE',
    path: `/${row.set.name}/{id}/owners/{owner}/$ref`,
    requires: writesApplications,
    summary: `Removes one of the owners of ${row.one}.`,
    action: `${row.kind}.removeOwner`,
    change: (call) => removeOwner(call, row),
  },
]

/** The body of `POST .../owners/$ref`. */
const referenceBody = z.strictObject({ '@odata.id': objectReference })

/** The owners of applications and service principals. */
export const ownerOperations: readonly (ReadOperation | ChangeOperation)[] = [
  ...operationsOf(applicationRow),
  ...operationsOf(principalRow),
]

function addOwner<Kind extends ObjectKind>(
  call: ChangingCall,
  { kind, find }: ObjectRow<Kind>,
): Change {
  const entity = find(call)
  const { '@odata.id': id } = parseBody(referenceBody, call.body)
  const ownerIds = withOwners(entity.ownerIds, [id], call.directory, call.caller.tenantId)
  return stored(kind, { ...entity, ownerIds })
}

function removeOwner<Kind extends ObjectKind>(
  call: ChangingCall,
  { kind, find }: ObjectRow<Kind>,
): Change {
  const entity = find(call)
  const { owner = '' } = call.parameters
  const ownerIds = entity.ownerIds.filter((id) => id !== owner.toLowerCase())
  if (ownerIds.length === entity.ownerIds.length) throw refuse('resource_unknown', owner)
  return stored(kind, { ...entity, ownerIds })
}

/**
 * The owners after some were added. An owner must be a service principal of the tenant.
 *
 * @throws {GraphError} graph_refusal resource_unknown, owner_taken, body_invalid.
 */
export function withOwners(
  before: readonly string[],
  added: readonly string[],
  directory: Directory,
  tenantId: string,
): readonly string[] {
  const owners = new Set(before)
  for (const id of added) {
    if (activeServicePrincipal(directory, tenantId, id) === undefined) {
      throw refuse('resource_unknown', id)
    }
    if (owners.has(id)) throw refuse('owner_taken')
    owners.add(id)
  }
  if (owners.size > maxOwners) {
    throw refuse('body_invalid', `An object must not have more than ${maxOwners} owners.`)
  }
  return [...owners]
}
