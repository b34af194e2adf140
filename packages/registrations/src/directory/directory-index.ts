import type {
  Application,
  AppRoleAssignment,
  DirectoryState,
  ServicePrincipal,
} from './directory-state.ts'

/** Finds the objects of a directory state by the values that refer to them. */
export class DirectoryIndex {
  readonly #applicationsById: ReadonlyMap<string, Application>
  readonly #applicationsByName: ReadonlyMap<string, readonly Application[]>
  readonly #applicationsByUri = new Map<string, Application[]>()
  readonly #principalsByAppId: ReadonlyMap<string, ServicePrincipal>
  readonly #principalsById: ReadonlyMap<string, ServicePrincipal>
  readonly #principalsByName: ReadonlyMap<string, readonly ServicePrincipal[]>
  readonly #agentsByName: ReadonlyMap<string, readonly ServicePrincipal[]>
  readonly #agentsByBlueprint: ReadonlyMap<string | null | undefined, readonly ServicePrincipal[]>
  readonly #assignmentsByPrincipal: ReadonlyMap<string, readonly AppRoleAssignment[]>
  readonly #roleValuesByApi = new Map<string, ReadonlyMap<string, string | undefined>>()

  constructor({ applications, servicePrincipals, assignments }: DirectoryState) {
    this.#applicationsById = firstBy(applications, ({ appId }) => appId)
    this.#applicationsByName = Map.groupBy(applications, ({ displayName }) => displayName)
    for (const application of applications) {
      for (const uri of new Set(application.identifierUris)) {
        const found = this.#applicationsByUri.get(uri)
        if (found === undefined) this.#applicationsByUri.set(uri, [application])
        else found.push(application)
      }
    }
    this.#principalsByAppId = firstBy(servicePrincipals, ({ appId }) => appId)
    this.#principalsById = firstBy(servicePrincipals, ({ id }) => id)
    // An agent is never an API. It may have the name of one.
    const others = servicePrincipals.filter((one) => !one.agentIdentityBlueprintId)
    const agents = servicePrincipals.filter((one) => one.agentIdentityBlueprintId)
    this.#principalsByName = Map.groupBy(others, ({ displayName }) => displayName)
    this.#agentsByName = Map.groupBy(agents, ({ displayName }) => displayName)
    this.#agentsByBlueprint = Map.groupBy(agents, (one) => one.agentIdentityBlueprintId)
    this.#assignmentsByPrincipal = Map.groupBy(assignments, ({ principalId }) => principalId)
  }

  application(appId: string | undefined): Application | undefined {
    return appId === undefined ? undefined : this.#applicationsById.get(appId)
  }

  applicationsNamed = (displayName: string) => this.#applicationsByName.get(displayName) ?? []

  /** The applications that have at least one of the identifier URIs, each once. */
  applicationsWithUri(uris: readonly string[]): Application[] {
    return [...new Set(uris.flatMap((uri) => this.#applicationsByUri.get(uri) ?? []))]
  }

  servicePrincipal(appId: string | undefined): ServicePrincipal | undefined {
    return appId === undefined ? undefined : this.#principalsByAppId.get(appId)
  }

  servicePrincipalWithId = (id: string) => this.#principalsById.get(id)
  servicePrincipalsNamed = (displayName: string) => this.#principalsByName.get(displayName) ?? []
  agentsNamed = (displayName: string) => this.#agentsByName.get(displayName) ?? []

  agentsOf(appId: string | undefined): readonly ServicePrincipal[] {
    return appId === undefined ? [] : (this.#agentsByBlueprint.get(appId) ?? [])
  }

  assignmentsOf(principalId: string | undefined): readonly AppRoleAssignment[] {
    return principalId === undefined ? [] : (this.#assignmentsByPrincipal.get(principalId) ?? [])
  }

  /** The value of a role that an API declares, in its application or in its service principal. */
  roleValue(appId: string | undefined, roleId: string): string | undefined {
    if (appId === undefined) return undefined
    const known = this.#roleValuesByApi.get(appId) ?? this.#roleValuesOf(appId)
    return known.get(roleId)
  }

  #roleValuesOf(appId: string): ReadonlyMap<string, string | undefined> {
    const declared = [this.application(appId), this.servicePrincipal(appId)]
    const roles = declared.flatMap((one) => one?.appRoles ?? [])
    const values = new Map<string, string | undefined>()
    for (const { id, value } of roles) if (!values.has(id)) values.set(id, value ?? undefined)
    this.#roleValuesByApi.set(appId, values)
    return values
  }
}

const indexes = new WeakMap<DirectoryState, DirectoryIndex>()

/** The index of a directory state. It is built once, because a state does not change. */
export function directoryIndex(state: DirectoryState): DirectoryIndex {
  const index = indexes.get(state) ?? new DirectoryIndex(state)
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
