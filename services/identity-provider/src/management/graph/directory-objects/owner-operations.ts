import type { Application } from '../../../directory/application/application.ts'
import { type DirectoryChange, put } from '../../../directory/directory-change.ts'
import type { ServicePrincipal } from '../../../directory/service-principal/service-principal.ts'
import { parseBody } from '../../body/parse-body.ts'
import { listEntities } from '../../odata/list-entities.ts'
import type {
  Call,
  Change,
  ChangeOperation,
  ChangingCall,
  ReadOperation,
} from '../../operations/operation.ts'
import { readsApplications, writesApplications } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { directoryObjects } from './entity-sets.ts'
import { activeOwners, findApplication, findServicePrincipal } from './find-object.ts'
import { referenceBody, withOwners } from './object-reference.ts'

/** An object that has owners: where it is, and how it is found and changed. */
type Owned<Entity extends Application | ServicePrincipal> = {
  readonly set: 'applications' | 'servicePrincipals'
  readonly noun: string
  readonly action: string
  readonly find: (call: Call) => Entity
  readonly put: (entity: Entity) => DirectoryChange
}

const ownedApplication: Owned<Application> = {
  set: 'applications',
  noun: 'an application',
  action: 'application',
  find: findApplication,
  put: (application) => put('application', application),
}
const ownedPrincipal: Owned<ServicePrincipal> = {
  set: 'servicePrincipals',
  noun: 'a service principal',
  action: 'servicePrincipal',
  find: findServicePrincipal,
  put: (principal) => put('servicePrincipal', principal),
}

const operationsOf = <Entity extends Application | ServicePrincipal>(
  owned: Owned<Entity>,
): (ReadOperation | ChangeOperation)[] => [
  {
    method: 'GET',
    path: `/${owned.set}/{id}/owners`,
    requires: readsApplications,
    summary: `Lists the owners of ${owned.noun}. An owner has no right because of it.`,
    read: (call) => {
      const { ownerIds, tenantId } = owned.find(call)
      return listEntities(call, directoryObjects, activeOwners(call.directory, tenantId, ownerIds))
    },
  },
  {
    method: 'POST',
    path: `/${owned.set}/{id}/owners/$ref`,
    requires: writesApplications,
    summary: `Adds a service principal to the owners of ${owned.noun}.`,
    takesBody: true,
    action: `${owned.action}.addOwner`,
    change: (call) => addOwner(call, owned),
  },
  {
    method: 'DELETE',
    path: `/${owned.set}/{id}/owners/{owner}/$ref`,
    requires: writesApplications,
    summary: `Removes one of the owners of ${owned.noun}.`,
    action: `${owned.action}.removeOwner`,
    change: (call) => removeOwner(call, owned),
  },
]

/** The owners of applications and service principals. */
export const ownerOperations: readonly (ReadOperation | ChangeOperation)[] = [
  ...operationsOf(ownedApplication),
  ...operationsOf(ownedPrincipal),
]

function addOwner<Entity extends Application | ServicePrincipal>(
  call: ChangingCall,
  { find, put }: Owned<Entity>,
): Change {
  const entity = find(call)
  const { '@odata.id': id } = parseBody(referenceBody, call.body)
  const ownerIds = withOwners(entity.ownerIds, [id], call.directory, call.caller.tenantId)
  return {
    changes: [put({ ...entity, ownerIds })],
    target: entity.id,
    answer: { status: 204 },
  }
}

function removeOwner<Entity extends Application | ServicePrincipal>(
  call: ChangingCall,
  { find, put }: Owned<Entity>,
): Change {
  const entity = find(call)
  const { owner = '' } = call.parameters
  const ownerIds = entity.ownerIds.filter((id) => id !== owner.toLowerCase())
  if (ownerIds.length === entity.ownerIds.length) throw refuse('resource_unknown', owner)
  return {
    changes: [put({ ...entity, ownerIds })],
    target: entity.id,
    answer: { status: 204 },
  }
}
