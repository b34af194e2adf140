import type { z } from 'zod'
import { comparedValue } from '../compared-properties.ts'
import { validCredentials } from '../directory/credentials.ts'
import { directoryIndex } from '../directory/directory-index.ts'
import {
  type Application,
  type AppRoleAssignment,
  application,
  appRoleAssignment,
  type DirectoryState,
  federatedIdentityCredential,
  inheritablePermission,
  isBlueprint,
  owner,
  type ServicePrincipal,
  servicePrincipal,
} from '../directory/directory-state.ts'
import { type Activity, DirectoryReader, type ReadOptions } from './directory-reader.ts'
import type { Graph } from './graph.ts'
import type { Names } from './names.ts'

const typedAgents = '/servicePrincipals/microsoft.graph.agentIdentity'

// Below this number of filters, a list that turns out to be too long costs more than it can save.
const filtersPerPage = 100
const maxPageSize = 999

/**
 * Reads what explains the result of a token request: a client and its APIs by ID, and the client's
 * federated credentials if it has no other valid credential.
 */
export async function readExplained(
  graph: Graph,
  tenantId: string,
  { clientId, apiIds, now }: { clientId: string; apiIds: readonly string[]; now: Date },
): Promise<DirectoryState> {
  const read = (ids: readonly string[]) =>
    readDirectory(graph, tenantId, { displayNames: [], applicationIds: ids, apis: [] })
  const found = await read([clientId, ...apiIds])
  const { agentIdentityBlueprintId: blueprintId } =
    found.servicePrincipals.find(({ appId }) => appId === clientId) ?? {}
  const state = blueprintId ? await read([clientId, blueprintId, ...apiIds]) : found
  const holderId = blueprintId ?? clientId
  const isHolder = ({ appId }: Application) => appId === holderId
  const applications = state.applications.filter(isHolder)
  const identified = new Set([holderId])
  const held = await withHolders(graph, { ...state, applications }, { identified, now })
  const others = state.applications.filter((one) => !isHolder(one))
  return { ...held, applications: [...held.applications, ...others] }
}

/** Reads the part of a tenant's directory to which the names refer. */
export async function readDirectory(
  graph: Graph,
  tenantId: string,
  names: Names,
  options: ReadOptions = {},
): Promise<DirectoryState> {
  const reader = new DirectoryReader(graph, options)
  const { displayNames, applicationIds = [], identifierUris = [], apis = displayNames } = names
  const applications = await namedApplications(reader, {
    displayNames: unique(displayNames),
    applicationIds: unique(applicationIds),
    identifierUris: unique(identifierUris),
  })
  const resourceIds = applications.flatMap(({ requiredResourceAccess }) =>
    requiredResourceAccess.map(({ resourceAppId }) => resourceAppId),
  )
  const appIds = unique([
    ...applications.map(({ appId }) => appId),
    ...applicationIds,
    ...resourceIds,
  ])
  const filters = [
    ...appIds.map((id) => `appId eq ${quoted(id)}`),
    // A client is found by its application. An API may have a service principal only.
    ...unique(apis).map((name) => `displayName eq ${quoted(name)}`),
  ]
  const activity = 'read_service_principals'
  const count = filters.length + (names.agents?.length ?? 0)
  const all = await wholeList(reader, activity, '/servicePrincipals', count, servicePrincipal)
  const blueprints = names.agents === undefined ? [] : applications.filter(isBlueprint)
  const ofBlueprints = blueprints.map(({ appId }) => `agentIdentityBlueprintId eq ${quoted(appId)}`)
  const paths = [
    ...filtered('/servicePrincipals', filters),
    ...filtered(typedAgents, ofBlueprints).map((path) => `${path}&$top=${maxPageSize}`),
  ]
  const principals = all ?? byId(await reader.all(activity, paths, servicePrincipal))
  const asked = { isComplete: all !== undefined, agents: names.agents && new Set(names.agents) }
  return withAssignments(reader, tenantId, applications, principals, asked)
}

/** The applications that have one of the names, IDs or identifier URIs. */
async function namedApplications(
  reader: DirectoryReader,
  {
    displayNames,
    applicationIds,
    identifierUris,
  }: Required<Pick<Names, 'displayNames' | 'applicationIds' | 'identifierUris'>>,
): Promise<Application[]> {
  const filters = [
    ...displayNames.map((name) => `displayName eq ${quoted(name)}`),
    ...applicationIds.map((id) => `appId eq ${quoted(id)}`),
    ...identifierUris.map((uri) => `identifierUris/any(x:x eq ${quoted(uri)})`),
  ]
  const activity = 'read_applications'
  const all = await wholeList(reader, activity, '/applications', filters.length, application)
  if (all === undefined) {
    const found = await reader.all(activity, filtered('/applications', filters), application)
    return byId(found)
  }
  const names = new Set(displayNames)
  const ids = new Set(applicationIds.map((id) => id.toLowerCase()))
  const uris = new Set(identifierUris)
  return byId(all).filter(
    (one) =>
      names.has(one.displayName) ||
      ids.has(one.appId) ||
      one.identifierUris.some((uri) => uris.has(uri)),
  )
}

/** A whole list, if it has few pages in comparison with the filters that it replaces. */
function wholeList<One>(
  reader: DirectoryReader,
  activity: Activity,
  path: string,
  filters: number,
  schema: z.ZodType<One>,
): Promise<One[] | undefined> {
  const budget = { pages: Math.floor(filters / filtersPerPage) }
  if (budget.pages === 0) return Promise.resolve(undefined)
  return reader.within(activity, [`${path}?$top=${maxPageSize}`], schema, budget)
}

/**
 * Adds what only separate requests list and what shows who can use an application: federated
 * credentials, and the owners of the application and its service principal. For an application that
 * is identified by ID, it adds only federated credentials, if no other credential is valid now.
 */
export async function withHolders(
  graph: Graph,
  state: DirectoryState,
  { identified, now }: { readonly identified: ReadonlySet<string>; readonly now: Date },
  options: ReadOptions = {},
): Promise<DirectoryState> {
  const reader = new DirectoryReader(graph, options)
  const index = directoryIndex(state)
  const ownersOf = (set: string, id: string) => graph.list(`/${set}/${id}/owners`, owner)
  const hasCredential = (application: Application) => {
    const servicePrincipal = index.servicePrincipal(application.appId)
    const holders = { application, ...(servicePrincipal && { servicePrincipal }) }
    return validCredentials(holders, now).length > 0
  }
  const asked = state.applications.filter(
    (one) => !identified.has(one.appId) || !hasCredential(one),
  )
  const found = await reader.each('read_credentials_and_owners', asked, async (one) => {
    const path = `/applications/${one.id}/federatedIdentityCredentials`
    const complete = {
      ...one,
      federatedIdentityCredentials: await graph.list(path, federatedIdentityCredential),
    }
    const principal = index.servicePrincipal(one.appId)
    if (identified.has(one.appId)) return { complete, principal }
    const owners = await ownersOf('applications', one.id)
    return {
      complete: { ...complete, owners },
      principal: principal && {
        ...principal,
        owners: await ownersOf('servicePrincipals', principal.id),
      },
    }
  })
  const applications = new Map(found.map(({ complete }) => [complete.id, complete]))
  const principals = new Map(found.map(({ principal }) => [principal?.id, principal]))
  return {
    ...state,
    applications: state.applications.map((one) => applications.get(one.id) ?? one),
    servicePrincipals: state.servicePrincipals.map((one) => principals.get(one.id) ?? one),
  }
}

/** Reads all applications of a tenant, with their related objects. */
export async function readWholeDirectory(
  graph: Graph,
  tenantId: string,
  options: ReadOptions = {},
): Promise<DirectoryState> {
  const reader = new DirectoryReader(graph, options)
  const budget = { pages: Number.POSITIVE_INFINITY }
  const top = `?$top=${maxPageSize}`
  const applications = await reader.within(
    'read_applications',
    [`/applications${top}`],
    application,
    budget,
  )
  const principals = await reader.within(
    'read_service_principals',
    [`/servicePrincipals${top}`],
    servicePrincipal,
    budget,
  )
  const known = principals ?? []
  return withAssignments(reader, tenantId, applications ?? [], known, { isComplete: true })
}

/** Adds what separate requests list for each blueprint. */
async function withBlueprintParts(
  reader: DirectoryReader,
  applications: readonly Application[],
): Promise<Application[]> {
  const type = 'microsoft.graph.agentIdentityBlueprint'
  const parts = await reader.each(
    'read_applications',
    applications.filter(isBlueprint),
    async ({ id }) => ({
      id,
      federatedIdentityCredentials: await reader.list(
        `/applications/${id}/federatedIdentityCredentials`,
        federatedIdentityCredential,
      ),
      inheritablePermissions: await reader.list(
        `/applications/${type}/${id}/inheritablePermissions`,
        inheritablePermission,
      ),
      sponsors: await reader.list(`/applications/${id}/${type}/sponsors`, owner),
    }),
  )
  const byId = new Map(parts.map((one) => [one.id, one]))
  return applications.map((one) => ({ ...one, ...byId.get(one.id) }))
}

type Asked = {
  /** Whether all service principals of the tenant are known. */
  readonly isComplete: boolean
  /** Names and IDs of the agents whose assignments matter; default: all. */
  readonly agents?: ReadonlySet<string> | undefined
}

async function withAssignments(
  reader: DirectoryReader,
  tenantId: string,
  named: readonly Application[],
  principals: readonly ServicePrincipal[],
  { isComplete, agents }: Asked,
): Promise<DirectoryState> {
  const applications = await withBlueprintParts(reader, named)
  const appIds = new Set(applications.map(({ appId }) => appId))
  const own = principals.filter(
    ({ agentIdentityBlueprintId: blueprint, appId, displayName, id }) => {
      if (!blueprint) return appIds.has(appId)
      const isAsked = agents === undefined || agents.has(id) || agents.has(displayName)
      return appIds.has(blueprint) && isAsked
    },
  )
  const assignments =
    (isComplete ? await assignmentsByApi(reader, principals, own) : undefined) ??
    (await reader.all(
      'read_role_assignments',
      own.map(({ id }) => `/servicePrincipals/${id}/appRoleAssignments`),
      appRoleAssignment,
    ))
  const known = new Set(principals.map(({ id }) => id))
  const missing = unique(assignments.map(({ resourceId }) => resourceId)).filter(
    (id) => !known.has(id),
  )
  const filters = missing.map((id) => `id eq ${quoted(id)}`)
  const others = await reader.all(
    'read_service_principals',
    filtered('/servicePrincipals', filters),
    servicePrincipal,
  )
  const servicePrincipals = [...principals, ...others]
  return { tenantId, applications, servicePrincipals, assignments }
}

/**
 * The assignments of the clients, read from the APIs, or undefined when reading them from the clients
 * needs fewer requests. An assignment without a role is found only at an API that declares one, or that
 * requires an assignment: elsewhere it has no effect.
 */
async function assignmentsByApi(
  reader: DirectoryReader,
  principals: readonly ServicePrincipal[],
  clients: readonly ServicePrincipal[],
): Promise<AppRoleAssignment[] | undefined> {
  const apis = principals.filter(
    (one) => one.appRoles.length > 0 || comparedValue('appRoleAssignmentRequired', one),
  )
  const budget = { pages: Math.floor(clients.length / 4) }
  if (apis.length > budget.pages) return undefined
  const paths = apis.map(
    ({ id }) => `/servicePrincipals/${id}/appRoleAssignedTo?$top=${maxPageSize}`,
  )
  const found = await reader.within('read_role_assignments', paths, appRoleAssignment, budget)
  const ids = new Set(clients.map(({ id }) => id))
  return found?.filter(({ principalId }) => ids.has(principalId))
}

export const filtered = (path: string, filters: readonly string[]) =>
  filters.map((filter) => `${path}?$filter=${encodeURIComponent(filter)}`)

const unique = (values: readonly string[]) => [...new Set(values)]
const byId = <One extends { readonly id: string }>(all: readonly One[]): One[] => [
  ...new Map(all.map((one) => [one.id, one])).values(),
]

// OData 4.01 part 2, section 5.1.1.14.1: a quote within a string is doubled.
export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
