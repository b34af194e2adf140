import { inheritablePermission, isBlueprint } from '@greeting/registrations/directory'
import type { AdministratorRequest } from './administrator-request.ts'
import {
  type ApplicationView,
  assignmentsOf,
  principalsBy,
  principalView,
  type Registered,
  readRegistered,
} from './applications.ts'

const blueprintType = 'microsoft.graph.agentIdentityBlueprint'
const agentType = 'microsoft.graph.agentIdentity'

/** The path of a blueprint's own collection. */
export const blueprintPath = ({ id }: Pick<ApplicationView, 'id'>, part: string): string =>
  `/applications/${blueprintType}/${id}/${part}`

/** Creates a blueprint. An agent is created at the list of service principals. */
export const newBlueprintPath = `/applications/${blueprintType}`
export const agentsPath = `/servicePrincipals/${agentType}`

/** Sponsors are users or groups, of which this server keeps the ID only. */
export const sponsorsBody = (id: string) => ({
  'sponsors@odata.bind': [`https://graph.microsoft.com/v1.0/users/${encodeURIComponent(id)}`],
})

/** The APIs whose roles the agents of a blueprint inherit. */
export async function inheritableApis(
  { graph }: AdministratorRequest,
  { application }: Registered,
): Promise<ReadonlyMap<string, boolean>> {
  if (!isBlueprint(application)) return new Map()
  const path = blueprintPath(application, 'inheritablePermissions')
  const found = await graph.list(path, inheritablePermission)
  return new Map(
    found.map((one) => [one.resourceAppId, one.inheritableRoles?.kind === 'allAllowed']),
  )
}

/** The blueprint of an agent, if it still exists. */
export async function blueprintOf(
  request: AdministratorRequest,
  { principal }: Registered,
): Promise<Registered | undefined> {
  const id = principal?.agentIdentityBlueprintId
  const [blueprint] = id ? [...(await principalsBy(request, 'appId', [id])).values()] : []
  return id && blueprint ? readRegistered(request, id) : undefined
}

export async function inheritedAssignments(
  request: AdministratorRequest,
  blueprint: Registered | undefined,
) {
  if (blueprint?.principal === undefined) return []
  const [assignments, inheritable] = await Promise.all([
    assignmentsOf(request, blueprint.principal.id),
    inheritableApis(request, blueprint),
  ])
  const apis = await principalsBy(
    request,
    'id',
    assignments.map(({ resourceId }) => resourceId),
  )
  return assignments.filter(({ resourceId }) => inheritable.get(apis.get(resourceId)?.appId ?? ''))
}

/** One page of the agents of a blueprint. */
export const agentsOf = (
  { graph }: AdministratorRequest,
  blueprintId: string,
  query: Readonly<Record<string, string>>,
) => {
  const $filter = `agentIdentityBlueprintId eq '${blueprintId}'`
  return graph.page(`${agentsPath}?${new URLSearchParams({ $filter, ...query })}`, principalView)
}

/** The APIs of which an agent has a role, or inherits one. */
export async function apisOfAgent(request: AdministratorRequest, agent: Registered) {
  const assignments = [
    ...(await assignmentsOf(request, agent.application.id)),
    ...(await inheritedAssignments(request, await blueprintOf(request, agent))),
  ]
  const ids = assignments.map(({ resourceId }) => resourceId)
  return [...(await principalsBy(request, 'id', ids)).values()].map(({ appId }) => appId)
}
