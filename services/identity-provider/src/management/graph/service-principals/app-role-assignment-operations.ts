import { z } from 'zod'
import type { AppRoleAssignment } from '../../../directory/app-role-assignment.ts'
import { put, remove } from '../../../directory/directory-change.ts'
import { emptyGuid } from '../../../directory/guid.ts'
import { newAppRoleAssignment } from '../../../directory/new-app-role-assignment.ts'
import type { ServicePrincipal } from '../../../directory/service-principal.ts'
import { refuse } from '../../http/graph-error.ts'
import type {
  Call,
  Change,
  ChangeOperation,
  ChangingCall,
  ReadOperation,
} from '../../http/operation.ts'
import { parseBody } from '../../http/parse-body.ts'
import { guid } from '../../http/schemas.ts'
import { requireMatch } from '../../odata/entity-tag.ts'
import { listEntities } from '../../odata/list-entities.ts'
import { showCreated, showEntity } from '../../odata/show-entity.ts'
import { readsAssignments, writesAssignments } from '../graph-roles.ts'
import { appRoleAssignments } from './app-role-assignment-entity-set.ts'
import { activeServicePrincipal, findServicePrincipal } from './find-service-principal.ts'

/** An assignment seen from one of the two service principals that it joins. */
type Side = {
  readonly segment: 'appRoleAssignedTo' | 'appRoleAssignments'
  /** The member of an assignment that is the service principal of the path. */
  readonly own: 'resourceId' | 'principalId'
  readonly other: 'resourceId' | 'principalId'
  readonly of: string
}

const sides: readonly Side[] = [
  {
    segment: 'appRoleAssignedTo',
    own: 'resourceId',
    other: 'principalId',
    of: 'the roles of this API that clients have',
  },
  {
    segment: 'appRoleAssignments',
    own: 'principalId',
    other: 'resourceId',
    of: 'the roles that this client has',
  },
]

const newAssignment = z.strictObject({ principalId: guid, resourceId: guid, appRoleId: guid })

/** Admin consent: contract §1, step 5. */
export const appRoleAssignmentOperations: readonly (ReadOperation | ChangeOperation)[] =
  sides.flatMap((side): (ReadOperation | ChangeOperation)[] => [
    {
      method: 'GET',
      path: `/servicePrincipals/{id}/${side.segment}`,
      requires: readsAssignments,
      summary: `Lists ${side.of}.`,
      read: (call) =>
        listEntities(
          call,
          appRoleAssignments,
          assignmentsOf(call, side, findServicePrincipal(call)),
        ),
    },
    {
      method: 'POST',
      path: `/servicePrincipals/{id}/${side.segment}`,
      requires: writesAssignments,
      summary: `Adds to ${side.of}: this is the admin consent.`,
      takesBody: true,
      action: 'appRoleAssignment.create',
      change: (call) => create(call, side),
    },
    {
      method: 'GET',
      path: `/servicePrincipals/{id}/${side.segment}/{assignment}`,
      requires: readsAssignments,
      summary: `Shows one of ${side.of}.`,
      read: (call) => showEntity(call, appRoleAssignments, findAssignment(call, side)),
    },
    {
      method: 'DELETE',
      path: `/servicePrincipals/{id}/${side.segment}/{assignment}`,
      requires: writesAssignments,
      summary: `Withdraws one of ${side.of}.`,
      action: 'appRoleAssignment.delete',
      change: (call) => withdraw(call, side),
    },
  ])

function create(call: ChangingCall, { own }: Side): Change {
  const { body, caller, committed, directory } = call
  const asked = parseBody(newAssignment, body)
  if (findServicePrincipal({ ...call, ifMatch: undefined }).id !== asked[own])
    throw refuse('body_invalid', `Property '${own}' must be the id in the path.`)
  const client = activeServicePrincipal(directory, caller.tenantId, asked.principalId)
  const api = activeServicePrincipal(directory, caller.tenantId, asked.resourceId)
  if (client === undefined || api === undefined) throw refuse('reference_invalid')
  requireAssignable(call, api, asked.appRoleId)
  const isThere = committed
    .assignmentsOf(client.id)
    .some((one) => one.resourceId === api.id && one.appRoleId === asked.appRoleId)
  if (isThere) throw refuse('assignment_taken')
  const assignment = newAppRoleAssignment(client, api, asked.appRoleId, call.runtime)
  return {
    changes: [put('appRoleAssignment', assignment)],
    target: assignment.id,
    answer: showCreated(call, appRoleAssignments, assignment),
  }
}

/** The empty GUID is access without a role; any other must be a role that applications may have. */
function requireAssignable(call: ChangingCall, api: ServicePrincipal, appRoleId: string): void {
  if (appRoleId === emptyGuid) return
  const role = call.directory
    .applicationByAppId(api.appId)
    ?.appRoles.find(({ id }) => id === appRoleId)
  if (!role?.isEnabled || !role.allowedMemberTypes.includes('Application'))
    throw refuse('assigned_role_unknown')
}

function withdraw(call: ChangingCall, side: Side): Change {
  const { id } = findAssignment(call, side)
  return {
    changes: [remove('appRoleAssignment', id)],
    target: id,
    answer: { status: 204 },
  }
}

function findAssignment(call: Call, { own }: Side): AppRoleAssignment {
  const principal = findServicePrincipal({ ...call, ifMatch: undefined })
  const { assignment: id = '' } = call.parameters
  const assignment = call.directory.appRoleAssignment(id)
  if (assignment?.[own] !== principal.id) throw refuse('resource_unknown', id)
  requireMatch(call.ifMatch, call.directory.revisionOf('appRoleAssignment', id) ?? 0)
  return assignment
}

/** Assignments whose other side was deleted come back with it, and are not shown until then. */
function assignmentsOf(
  { directory }: Call,
  { own, other }: Side,
  { id, tenantId }: ServicePrincipal,
): AppRoleAssignment[] {
  const all = own === 'resourceId' ? directory.assignmentsTo(id) : directory.assignmentsOf(id)
  return all.filter((one) => activeServicePrincipal(directory, tenantId, one[other]) !== undefined)
}
