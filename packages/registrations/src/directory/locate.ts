import type { CallerEntry } from '../callers.ts'
import { directoryIndex } from './directory-index.ts'
import {
  type Application,
  type AppRole,
  type DirectoryState,
  isBlueprint,
  type ServicePrincipal,
} from './directory-state.ts'

/** The names by which a file or a person identifies an application. */
type ApplicationName = {
  readonly displayName: string
  readonly applicationId?: string | undefined
  readonly identifierUris?: readonly string[] | undefined
}

/** An application of the directory, with its objects that exist. */
export type Located = {
  readonly name: string
  readonly application?: Application
  readonly servicePrincipal?: ServicePrincipal
  /** The property by which the application was found. Only an ID identifies it. */
  readonly foundBy?: 'id' | 'identifier URI' | 'name'
  /** The name of the blueprint of an agent. */
  readonly blueprint?: string
  /** The reason why the application is ambiguous. */
  readonly fault?: string
}

/**
 * Finds the application of an entry: by its application ID if the entry has one, else by an identifier URI,
 * else by display name. An identifier URI is unique in a tenant. A display name may not be.
 */
export function locate(state: DirectoryState, entry: ApplicationName): Located {
  const { displayName: name, applicationId, identifierUris = [] } = entry
  const index = directoryIndex(state)
  if (applicationId !== undefined) {
    const application = index.application(applicationId)
    if (application === undefined) {
      const fault = `No application of the tenant has the ID ${applicationId}. The directory chooses application IDs. Omit the ID to find "${name}" by its name, or to create it.`
      return { name, fault }
    }
    return { ...withServicePrincipal(state, name, application), foundBy: 'id' }
  }
  const named = index.applicationsWithUri(identifierUris)
  const found = named.length > 0 ? named : index.applicationsNamed(name)
  if (found.length > 1) {
    const ids = found.map(({ appId }) => appId).join(', ')
    const fault = `${found.length} applications match "${name}": ${ids}. Set the applicationId of the right one.`
    return { name, fault }
  }
  const foundBy = named.length > 0 ? 'identifier URI' : 'name'
  return { ...withServicePrincipal(state, name, found[0]), foundBy }
}

/** Finds the application of a client or a blueprint. A client cannot become a blueprint, nor the reverse. */
export function locateClient(state: DirectoryState, entry: CallerEntry): Located {
  const located = locate(state, entry)
  const { application, name } = located
  const isMeant = entry.kind === 'blueprint'
  if (application === undefined || isBlueprint(application) === isMeant) return located
  const [is, list] = isMeant
    ? ['an ordinary application', 'clients']
    : ['a blueprint', 'blueprints']
  return { name, fault: `"${name}" is ${is} in the tenant. Describe it under "${list}".` }
}

/** Finds an agent among the agents of its blueprint: by its ID if the entry has one, else by its name. */
export function locateAgent(
  state: DirectoryState,
  { displayName: name, applicationId }: CallerEntry,
  { name: blueprint, application }: Located,
): Located {
  const index = directoryIndex(state)
  const candidates =
    applicationId === undefined
      ? index.agentsNamed(name)
      : [index.servicePrincipalWithId(applicationId) ?? []].flat()
  const found = candidates.filter((one) => one.agentIdentityBlueprintId === application?.appId)
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ')
    const fault = `${found.length} agents of "${blueprint}" match "${name}": ${ids}. Set the applicationId of the right one.`
    return { name, blueprint, fault }
  }
  const [servicePrincipal] = found
  if (applicationId !== undefined && servicePrincipal === undefined) {
    const fault = `No agent of "${blueprint}" has the ID ${applicationId}. The directory chooses the IDs of agents.`
    return { name, blueprint, fault }
  }
  return { name, blueprint, ...(servicePrincipal && { servicePrincipal }) }
}

function withServicePrincipal(
  state: DirectoryState,
  name: string,
  application: Application | undefined,
): Located {
  if (application === undefined) return { name }
  const servicePrincipal = directoryIndex(state).servicePrincipal(application.appId)
  return { name, application, ...(servicePrincipal && { servicePrincipal }) }
}

/**
 * Finds an API outside the file: an API of the tenant, or one with only a service principal in it,
 * such as Microsoft Graph.
 */
export function locateResource(state: DirectoryState, name: string): Located {
  const index = directoryIndex(state)
  const id = name.toLowerCase()
  const named = [
    ...index.applicationsNamed(name),
    ...index.servicePrincipalsNamed(name),
    ...[index.application(id) ?? index.servicePrincipal(id) ?? []].flat(),
  ]
  const appIds = [...new Set(named.map(({ appId }) => appId))]
  // An application of the tenant may have the name of an API with only a service principal here.
  if (appIds.length > 1) {
    const fault = `${appIds.length} APIs match "${name}": ${appIds.join(', ')}. Use the application ID of the right one instead of the name.`
    return { name, fault }
  }
  const application = index.application(appIds[0])
  if (application !== undefined) return withServicePrincipal(state, name, application)
  const servicePrincipal = index.servicePrincipal(appIds[0])
  return { name, ...(servicePrincipal && { servicePrincipal }) }
}

/** Finds an application by its ID. Another tenant's application has only a service principal in this tenant. */
export function locateById(state: DirectoryState, applicationId: string): Located {
  const index = directoryIndex(state)
  const application = index.application(applicationId)
  const servicePrincipal =
    index.servicePrincipal(applicationId) ?? index.servicePrincipalWithId(applicationId)
  return {
    name: application?.displayName ?? servicePrincipal?.displayName ?? applicationId,
    ...(application && { application }),
    ...(servicePrincipal && { servicePrincipal }),
    foundBy: 'id',
  }
}

/** The roles that an API declares in the directory. */
export const rolesOf = ({ application, servicePrincipal }: Located): readonly AppRole[] =>
  application?.appRoles ?? servicePrincipal?.appRoles ?? []

/** The roles that a caller has. */
export const assignmentsOf = ({ servicePrincipal }: Located, state: DirectoryState) =>
  directoryIndex(state).assignmentsOf(servicePrincipal?.id)
