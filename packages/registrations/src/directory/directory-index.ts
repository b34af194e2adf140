import type { Application, DirectoryState } from './directory-state.ts'

export type DirectoryIndex = ReturnType<typeof indexOf>

/** Finds the objects of a directory state by the values that refer to them. */
function indexOf({ applications, servicePrincipals, assignments }: DirectoryState) {
  const applicationsById = firstBy(applications, ({ appId }) => appId)
  const applicationsByName = Map.groupBy(applications, ({ displayName }) => displayName)
  const applicationsByUri = new Map<string, Application[]>()
  for (const application of applications) {
    for (const uri of new Set(application.identifierUris)) {
      const found = applicationsByUri.get(uri)
      if (found === undefined) applicationsByUri.set(uri, [application])
      else found.push(application)
    }
  }
  const principalsByAppId = firstBy(servicePrincipals, ({ appId }) => appId)
  const principalsById = firstBy(servicePrincipals, ({ id }) => id)
  // An agent is never an API. It may have the name of one.
  const others = servicePrincipals.filter((one) => !one.agentIdentityBlueprintId)
  const agents = servicePrincipals.filter((one) => one.agentIdentityBlueprintId)
  const principalsByName = Map.groupBy(others, ({ displayName }) => displayName)
  const agentsByName = Map.groupBy(agents, ({ displayName }) => displayName)
  const agentsByBlueprint = Map.groupBy(agents, (one) => one.agentIdentityBlueprintId)
  const assignmentsByPrincipal = Map.groupBy(assignments, ({ principalId }) => principalId)
  const roleValuesByApi = new Map<string, ReadonlyMap<string, string | undefined>>()

  const application = (appId = '') => applicationsById.get(appId)
  const servicePrincipal = (appId = '') => principalsByAppId.get(appId)
  const roleValuesOf = (appId: string) => {
    const declared = [application(appId), servicePrincipal(appId)]
    const roles = declared.flatMap((one) => one?.appRoles ?? [])
    const values = new Map<string, string | undefined>()
    for (const { id, value } of roles) if (!values.has(id)) values.set(id, value ?? undefined)
    roleValuesByApi.set(appId, values)
    return values
  }
  return {
    application,
    applicationsNamed: (displayName: string) => applicationsByName.get(displayName) ?? [],
    /** The applications that have at least one of the identifier URIs, each once. */
    applicationsWithUri: (uris: readonly string[]) => [
      ...new Set(uris.flatMap((uri) => applicationsByUri.get(uri) ?? [])),
    ],
    servicePrincipal,
    servicePrincipalWithId: (id: string) => principalsById.get(id),
    servicePrincipalsNamed: (displayName: string) => principalsByName.get(displayName) ?? [],
    agentsNamed: (displayName: string) => agentsByName.get(displayName) ?? [],
    agentsOf: (blueprintAppId = '') => agentsByBlueprint.get(blueprintAppId) ?? [],
    assignmentsOf: (principalId = '') => assignmentsByPrincipal.get(principalId) ?? [],
    /** The value of a role that an API declares, in its application or in its service principal. */
    roleValue: (appId: string | undefined, roleId: string) =>
      appId === undefined
        ? undefined
        : (roleValuesByApi.get(appId) ?? roleValuesOf(appId)).get(roleId),
  }
}

const indexes = new WeakMap<DirectoryState, DirectoryIndex>()

/** The index of a directory state. It is built once, because a state does not change. */
export function directoryIndex(state: DirectoryState): DirectoryIndex {
  const index = indexes.get(state) ?? indexOf(state)
  indexes.set(state, index)
  return index
}

function firstBy<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One> {
  const first = new Map<string, One>()
  for (const one of all) {
    const key = keyOf(one)
    if (!first.has(key)) first.set(key, one)
  }
  return first
}
