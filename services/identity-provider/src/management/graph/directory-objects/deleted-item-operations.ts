import { parentOf } from '@greeting/directory'
import { listStored } from '../../odata/list-stored.ts'
import { showEntity } from '../../odata/show-entity.ts'
import {
  type Answer,
  type Call,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  type ListCall,
  type ListOperation,
  operation,
} from '../../operations/operation.ts'
import { readsApplications, writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { findDeletedItem, maxPurged, oldestRestorable, purgeChanges } from './deleted-item.ts'
import { applications, servicePrincipals } from './entity-sets.ts'
import { listedIn } from './find-object.ts'
import {
  applicationRow,
  type ObjectKind,
  type ObjectRow,
  principalRow,
  stored,
} from './object-operations.ts'
import { type DirectoryObject, endsOfList, typeOf } from './object-type.ts'

/** The deleted objects of one kind, as a list or as a number. */
const listOperation = <Kind extends ObjectKind>({
  kind,
  many,
  set,
}: ObjectRow<Kind>): ListOperation =>
  operation(`GET /directory/deletedItems/microsoft.graph.${kind}`, readsApplications, {
    ends: endsOfList(),
    access: 'read',
    summary: `Lists the deleted ${many}, or counts them.`,
    list: (call) => listStored(call, set, { kind, ...restorable(call) }),
  })

export const deletedItemOperations: readonly DirectoryOperation[] = [
  listOperation(applicationRow),
  listOperation(principalRow),
  operation('GET /directory/deletedItems/{id}', readsApplications, {
    summary: 'Shows a deleted application or service principal.',
    read: (call) => {
      const item = findDeletedItem(call)
      return item.kind === 'application'
        ? showEntity(call, applications, item.value)
        : showEntity(call, servicePrincipals, item.value)
    },
  }),
  operation('POST /directory/deletedItems/{id}/restore', writesApplications, {
    summary: 'Restores a deleted application or service principal. Each needs its own request.',
    action: 'deletedItem.restore',
    change: restore,
    takesBody: false,
  }),
  operation('DELETE /directory/deletedItems/{id}', writesApplications, {
    summary:
      'Purges a deleted application with its service principals, or a deleted service principal. Its names become free.',
    action: 'deletedItem.purge',
    change: purge,
  }),
]

function restore(call: ChangingCall): Change {
  const item = findDeletedItem(call)
  if (item.kind === 'application') {
    const application = { ...item.value, deletedDateTime: null }
    return stored('application', application, restored(call, application))
  }
  const { appId, agentIdentityBlueprintId } = item.value
  const { caller, committed } = call
  const isOfAgent = agentIdentityBlueprintId !== null
  if (isOfAgent && parentOf(committed, item.value) === undefined)
    throw refuse('blueprint_principal_missing')
  if (!isOfAgent && committed.applicationByAppId(appId) === undefined)
    throw refuse('application_of_principal_unknown', appId)
  if (committed.servicePrincipalByAppId(caller.tenantId, appId) !== undefined)
    throw refuse('service_principal_taken', appId)
  const principal = { ...item.value, deletedDateTime: null }
  return stored('servicePrincipal', principal, restored(call, principal))
}

const restored = ({ directory, rootUrl }: Call, object: DirectoryObject): Answer => ({
  status: 200,
  body: {
    '@odata.context': `${rootUrl}/$metadata#directoryObjects/$entity`,
    '@odata.type': `#microsoft.graph.${typeOf(object, directory)}`,
    id: object.id,
    deletedDateTime: null,
    appId: object.appId,
    displayName: object.displayName,
  },
})

function purge(call: ChangingCall): Change {
  const item = findDeletedItem(call)
  const changes = purgeChanges(call.committed, item)
    .take(maxPurged + 1)
    .toArray()
  return {
    changes: changes.slice(0, maxPurged),
    isPartial: changes.length > maxPurged,
    target: item.value.id,
    answer: { status: 204 },
  }
}

const restorable = (call: ListCall) => ({
  deletedSince: oldestRestorable(call.runtime.now(), call.retentionDays),
  isListed: listedIn(call),
})
