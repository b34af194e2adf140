import type { Directory } from './directory.ts'
import { graphAppId, serverManagementAppId } from './privileged-api-ids.ts'
import type { AppRoleAssignment } from './service-principal/app-role-assignment.ts'
import type { ServicePrincipal } from './service-principal/service-principal.ts'

/** The blueprint principal in an agent's tenant. If it is missing or disabled, the agent gets no token. */
export const parentOf = (
  directory: Directory,
  { agentIdentityBlueprintId, tenantId }: ServicePrincipal,
): ServicePrincipal | undefined =>
  agentIdentityBlueprintId === null
    ? undefined
    : directory.servicePrincipalByAppId(tenantId, agentIdentityBlueprintId)

/**
 * The assignments that an agent inherits from its blueprint's service principal, for the APIs that
 * the blueprint declares as inheritable. The agent's own assignments are not repeated.
 */
export function inheritedAssignments(
  directory: Directory,
  agent: ServicePrincipal,
): readonly AppRoleAssignment[] {
  const parent = parentOf(directory, agent)
  const inheritable = parent && directory.applicationByAppId(parent.appId)?.blueprint
  if (!inheritable) return []
  const apis = new Set(
    inheritable.inheritablePermissions.flatMap(({ resourceAppId, roles }) =>
      roles === 'allAllowed' ? [resourceAppId] : [],
    ),
  )
  const own = new Set(directory.assignmentsOf(agent.id).map(roleOf))
  return directory
    .assignmentsOf(parent.id)
    .filter(
      (one) =>
        apis.has(directory.servicePrincipal(one.resourceId)?.appId ?? '') && !own.has(roleOf(one)),
    )
}

const roleOf = ({ resourceId, appRoleId }: AppRoleAssignment) => `${resourceId} ${appRoleId}`

/** The assignments that decide a client's roles: its own and, for an agent, those it inherits. */
export const effectiveAssignments = (
  directory: Directory,
  principal: ServicePrincipal,
): readonly AppRoleAssignment[] =>
  principal.agentIdentityBlueprintId === null
    ? directory.assignmentsOf(principal.id)
    : [...directory.assignmentsOf(principal.id), ...inheritedAssignments(directory, principal)]

/** The Microsoft Graph role that every blueprint has without an assignment: it manages its own agents (entra E200). */
export const roleOfBlueprints = 'AgentIdentity.CreateAsManager'

/**
 * True if no agent may have a role. Of the management APIs, agents may only read Graph. Entra ID
 * blocks some sixty Graph permissions, among them all that write the directory (entra E202).
 *
 * @see https://learn.microsoft.com/graph/api/resources/agentid-platform-overview
 */
export const isBlockedForAgents = (apiAppId: string, role: string): boolean =>
  apiAppId === serverManagementAppId || (apiAppId === graphAppId && !role.endsWith('.Read.All'))
