import { type Directory, isGuid, put } from '@greeting/directory'
import { bodyCollection, guid, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import { entityJson, showEntity, shownFor } from '../../odata/show-entity.ts'
import {
  type Answer,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  type ListCall,
  operation,
} from '../../operations/operation.ts'
import { readsApplications, writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { deletionTime } from './deleted-item.ts'
import { directoryObjects } from './entity-sets.ts'
import { findApplication, findServicePrincipal, ownerOf } from './find-object.ts'
import { stored } from './object-operations.ts'
import { type AnyObject, baseTypeOf, typeOf } from './object-type.ts'

/** The operations on applications, service principals and users by ID, without an entity set in the path. */
export const directoryObjectOperations: readonly DirectoryOperation[] = [
  operation('POST /directoryObjects/getByIds', readsApplications, {
    summary: 'Shows the objects with some IDs. Unknown IDs are omitted.',
    list: getByIds,
  }),
  operation('GET /directoryObjects/{id}', readsApplications, {
    summary: 'Shows an application, a service principal or a user.',
    read: (call) => {
      const { id = '' } = call.parameters
      if (!isGuid(id)) throw refuse('identifier_invalid', id)
      const object = objectOf(call.directory, call.caller.tenantId, id)
      if (object === undefined) throw refuse('resource_unknown', id)
      return showEntity(call, directoryObjects, object)
    },
  }),
  operation('DELETE /directoryObjects/{id}', writesApplications, {
    summary: 'Deletes an application or a service principal, as the request with its set.',
    action: 'directoryObject.delete',
    change: (call) =>
      call.directory.application(call.parameters.id ?? '') === undefined
        ? { ...deletePrincipal(call), action: 'servicePrincipal.delete' }
        : { ...deleteApplication(call), action: 'application.delete' },
  }),
]

/** As in Microsoft Graph. */
const maxIds = 1000
const idsBody = z.strictObject({
  ids: bodyCollection(guid, maxIds),
  types: bodyCollection(text(), 20).nullish(),
})

function objectOf(directory: Directory, tenantId: string, id: string): AnyObject | undefined {
  const owner = ownerOf(directory, tenantId, id)
  if (owner !== undefined) return owner
  const application = directory.application(id)
  const isActive = application?.tenantId === tenantId && application.deletedDateTime === null
  return isActive ? application : undefined
}

async function getByIds(call: ListCall): Promise<Answer> {
  const { ids, types } = parseBody(idsBody, call.body)
  const wanted = types && new Set(types.map((type) => type.toLowerCase()))
  const isWanted = (object: AnyObject, directory: Directory) =>
    wanted === null ||
    wanted === undefined ||
    ['directoryobject', baseTypeOf(object), typeOf(object, directory)].some((type) =>
      wanted.has(type.toLowerCase()),
    )
  // Lookups at the same time share a snapshot of the store.
  const found = await Promise.all(
    [...new Set(ids)].map((id) =>
      call.read((directory) => {
        const object = objectOf(directory, call.caller.tenantId, id)
        if (object === undefined || !isWanted(object, directory)) return []
        return [entityJson(object, directoryObjects, shownFor({ ...call, directory }))]
      }),
    ),
  )
  return {
    status: 200,
    body: { '@odata.context': `${call.rootUrl}/$metadata#directoryObjects`, value: found.flat() },
  }
}

/** Deletes the application in the path, with its service principal. */
export function deleteApplication(call: ChangingCall): Change {
  const application = findApplication(call)
  const deletedDateTime = deletionTime(call)
  const principal = call.committed.servicePrincipalByAppId(application.tenantId, application.appId)
  return {
    changes: [
      put('application', { ...application, deletedDateTime }),
      ...(principal === undefined
        ? []
        : [put('servicePrincipal', { ...principal, deletedDateTime })]),
    ],
    target: application.id,
    answer: { status: 204 },
  }
}

export function deletePrincipal(call: ChangingCall): Change {
  const principal = findServicePrincipal(call)
  return stored('servicePrincipal', { ...principal, deletedDateTime: deletionTime(call) })
}
