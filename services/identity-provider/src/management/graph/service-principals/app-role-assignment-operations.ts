import {
  type AppRoleAssignment,
  emptyGuid,
  isBlockedForAgents,
  newAppRoleAssignment,
  put,
  remove,
  type ServicePrincipal,
} from '@greeting/directory'
import { guid } from '@greeting/directory/forms'
import { estimateTokenBytes, passesLimit, tokenSizeFault } from '@greeting/registrations/token-size'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import { requireMatch } from '../../odata/entity-tag.ts'
import { listStored } from '../../odata/list-stored.ts'
import { showCreated, showEntity } from '../../odata/show-entity.ts'
import {
  type Answer,
  type Call,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  type ListCall,
  operation,
  type Warning,
} from '../../operations/operation.ts'
import { readsAssignments, writesAssignments } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { appRoleAssignments } from '../directory-objects/entity-sets.ts'
import { activeServicePrincipal, findServicePrincipal } from '../directory-objects/find-object.ts'
import { endsOfList } from '../directory-objects/object-type.ts'

/** One of the two service principals of an assignment: the API or the client. */
type Side = {
  readonly segment: 'appRoleAssignedTo' | 'appRoleAssignments'
  /** The member of an assignment that refers to the service principal of the path. */
  readonly own: 'resourceId' | 'principalId'
  readonly other: 'resourceId' | 'principalId'
  readonly subject: string
}

const sides: readonly Side[] = [
  {
    segment: 'appRoleAssignedTo',
    own: 'resourceId',
    other: 'principalId',
    subject: 'the assignments of the roles of this API',
  },
  {
    segment: 'appRoleAssignments',
    own: 'principalId',
    other: 'resourceId',
    subject: 'the assignments of roles to this client',
  },
]

const newAssignment = z.strictObject({ principalId: guid, resourceId: guid, appRoleId: guid })

/** The operations on app role assignments, which are admin consent: registration step 5. */
export const appRoleAssignmentOperations = sides.flatMap((side): DirectoryOperation[] => [
  operation(`GET /servicePrincipals/{id}/${side.segment}`, readsAssignments, {
    ends: endsOfList(),
    summary: `Lists ${side.subject}, or counts them.`,
    list: (call) => listAssignments(call, side),
  }),
  operation(`POST /servicePrincipals/{id}/${side.segment}`, writesAssignments, {
    summary: `Adds to ${side.subject}. This is admin consent.`,
    action: 'appRoleAssignment.create',
    change: create,
  }),
  operation(`GET /servicePrincipals/{id}/${side.segment}/{assignment}`, readsAssignments, {
    summary: `Shows one of ${side.subject}.`,
    read: (call) => showEntity(call, appRoleAssignments, findAssignment(call, side)),
  }),
  operation(`DELETE /servicePrincipals/{id}/${side.segment}/{assignment}`, writesAssignments, {
    summary: `Removes one of ${side.subject}.`,
    action: 'appRoleAssignment.delete',
    change: (call) => removeAssignment(call, side),
  }),
])

function create(call: ChangingCall): Change {
  const { body, caller, committed, directory } = call
  const requested = parseBody(newAssignment, body)
  // Scripts send both lists to either side (entra E345).
  const { id } = findServicePrincipal({ ...call, ifMatch: undefined })
  if (id !== requested.resourceId && id !== requested.principalId)
    throw refuse('body_invalid', 'The id in the path must be the principalId or the resourceId.')
  const client = activeServicePrincipal(directory, caller.tenantId, requested.principalId)
  const api = activeServicePrincipal(directory, caller.tenantId, requested.resourceId)
  if (client === undefined || api === undefined) throw refuse('reference_invalid')
  if (api.agentIdentityBlueprintId !== null) throw refuse('agent_as_resource')
  requireAssignable(call, api, requested.appRoleId, client.agentIdentityBlueprintId !== null)
  const assigned = new Set(
    committed
      .assignmentsOf(client.id)
      .flatMap(({ resourceId, appRoleId }) => (resourceId === api.id ? appRoleId : [])),
  )
  if (assigned.has(requested.appRoleId)) throw refuse('assignment_taken')
  const assignment = newAppRoleAssignment(client, api, requested.appRoleId, call.runtime)
  return {
    changes: [put('appRoleAssignment', assignment)],
    target: assignment.id,
    answer: showCreated(call, appRoleAssignments, assignment),
    warning: sizeWarning(call, { client, api, assigned, added: requested.appRoleId }),
  }
}

// Fewer roles do not fill a header field: a value has at most 249 characters.
const minLargeCount = 16

/** Warns once when tokens pass a size that servers refuse: at the assignment that makes them so large. */
function sizeWarning(
  { committed }: ChangingCall,
  grant: {
    readonly client: ServicePrincipal
    readonly api: ServicePrincipal
    readonly assigned: ReadonlySet<string>
    readonly added: string
  },
): Warning | undefined {
  const { client, api, assigned, added } = grant
  if (assigned.size < minLargeCount) return undefined
  const declared = committed.applicationByAppId(api.appId)?.appRoles ?? []
  const valuesOf = (isGranted: (id: string) => boolean) =>
    declared.flatMap(({ id, isEnabled, value }) =>
      isEnabled && value && isGranted(id) ? value : [],
    )
  const before = estimateTokenBytes(valuesOf((id) => assigned.has(id)))
  const roles = valuesOf((id) => assigned.has(id) || id === added)
  const tokenBytes = estimateTokenBytes(roles)
  if (!passesLimit(before, tokenBytes)) return undefined
  const message = `tokens of this client for this API are too large for some servers: about ${tokenSizeFault(tokenBytes)}`
  const fields = { clientId: client.appId, apiId: api.appId, roles: roles.length, tokenBytes }
  return { fields, message }
}

/** The empty GUID gives access without a role. Any other must be an enabled role for applications. */
function requireAssignable(
  call: ChangingCall,
  api: ServicePrincipal,
  appRoleId: string,
  isToAgent: boolean,
): void {
  if (appRoleId === emptyGuid) return
  const role = call.directory
    .applicationByAppId(api.appId)
    ?.appRoles.find(({ id }) => id === appRoleId)
  if (!role?.isEnabled || !role.allowedMemberTypes.includes('Application'))
    throw refuse('assigned_role_unknown')
  const { value } = role
  if (isToAgent && isBlockedForAgents(api.appId, value ?? ''))
    throw refuse('agent_role_blocked', value ?? appRoleId)
}

function removeAssignment(call: ChangingCall, side: Side): Change {
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
  requireMatch(call.ifMatch, call.directory.markOf('appRoleAssignment', id))
  return assignment
}

/** Assignments are hidden while their other side is deleted. They return when it is restored. */
async function listAssignments(call: ListCall, { own, other }: Side): Promise<Answer> {
  const principal = await call.read((directory) => findServicePrincipal({ ...call, directory }))
  return listStored(call, appRoleAssignments, {
    kind: 'appRoleAssignment',
    conditions: [{ index: own, operator: 'eq', text: principal.id }],
    isVisible: (one, directory) =>
      activeServicePrincipal(directory, principal.tenantId, one[other]) !== undefined,
  })
}
