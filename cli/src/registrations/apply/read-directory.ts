import type { RegistrationsFile } from '@greeting/registrations'
import type { z } from 'zod'
import type { GraphClient } from '../../administrator/graph-client.ts'
import {
  type Application,
  type AppRoleAssignment,
  application,
  appRoleAssignment,
  type DirectoryState,
  federatedIdentityCredential,
  type ServicePrincipal,
  servicePrincipal,
} from '../planning/directory-state.ts'

/** The names by which a file, or a person, speaks of applications. */
export type Names = {
  readonly displayNames: readonly string[]
  readonly applicationIds?: readonly string[]
  readonly identifierUris?: readonly string[]
}

/** The names that a file speaks of. */
export function namesOf({ apis, clients, consents = [], removed }: RegistrationsFile): Names {
  const entries = [...apis, ...clients]
  const named = [
    ...clients.flatMap(({ permissions = [] }) => permissions.map(({ api }) => api)),
    ...consents.map(({ api }) => api),
    ...removed,
  ]
  return {
    displayNames: [...entries.map(({ displayName }) => displayName), ...named],
    applicationIds: [
      ...entries.flatMap(({ applicationId }) => applicationId ?? []),
      ...named.filter((name) => /^[0-9a-f-]{36}$/i.test(name)),
    ],
    identifierUris: apis
      .flatMap(({ identifierUris = [] }) => identifierUris)
      .filter((uri) => !uri.includes('{')),
  }
}

/** Reads as much of a tenant's directory as the names reach. */
export async function readDirectory(
  graph: GraphClient,
  tenantId: string,
  { displayNames, applicationIds = [], identifierUris = [] }: Names,
): Promise<DirectoryState> {
  const filters = [
    ...unique(displayNames).map((name) => `displayName eq ${quoted(name)}`),
    ...unique(applicationIds).map((id) => `appId eq ${quoted(id)}`),
    ...unique(identifierUris).map((uri) => `identifierUris/any(x:x eq ${quoted(uri)})`),
  ]
  const applications = byId(await findAll(graph, '/applications', filters, application))
  const resourceIds = applications.flatMap(({ requiredResourceAccess }) =>
    requiredResourceAccess.map(({ resourceAppId }) => resourceAppId),
  )
  const appIds = unique([
    ...applications.map(({ appId }) => appId),
    ...applicationIds,
    ...resourceIds,
  ])
  const principals = await findAll(
    graph,
    '/servicePrincipals',
    [
      ...appIds.map((id) => `appId eq ${quoted(id)}`),
      ...unique(displayNames).map((name) => `displayName eq ${quoted(name)}`),
    ],
    servicePrincipal,
  )
  return withAssignments(graph, tenantId, applications, byId(principals))
}

/**
 * Adds the federated credentials, which the directory lists application by application, to those
 * that no id identifies.
 */
export async function withFederatedCredentials(
  graph: GraphClient,
  state: DirectoryState,
  identified: ReadonlySet<string>,
): Promise<DirectoryState> {
  const applications = await Promise.all(
    state.applications.map(async (one): Promise<Application> => {
      if (identified.has(one.appId)) return one
      const path = `/applications/${one.id}/federatedIdentityCredentials`
      const found = await graph.list(path, federatedIdentityCredential)
      return { ...one, federatedIdentityCredentials: found }
    }),
  )
  return { ...state, applications }
}

/** Reads all applications of a tenant, with all that concerns them. */
export async function readWholeDirectory(
  graph: GraphClient,
  tenantId: string,
): Promise<DirectoryState> {
  const [applications, principals] = await Promise.all([
    graph.list('/applications?$top=100', application),
    graph.list('/servicePrincipals?$top=100', servicePrincipal),
  ])
  return withAssignments(graph, tenantId, applications, principals)
}

// A tenant with thousands of applications would only throttle who asks for all of them at once.
const listsAtOnce = 8

async function withAssignments(
  graph: GraphClient,
  tenantId: string,
  applications: readonly Application[],
  principals: readonly ServicePrincipal[],
): Promise<DirectoryState> {
  const own = principals.filter(({ appId }) => applications.some((one) => one.appId === appId))
  const assignments: AppRoleAssignment[] = []
  for (let start = 0; start < own.length; start += listsAtOnce) {
    const lists = own
      .slice(start, start + listsAtOnce)
      .map(({ id }) => graph.list(`/servicePrincipals/${id}/appRoleAssignments`, appRoleAssignment))
    assignments.push(...(await Promise.all(lists)).flat())
  }
  const missing = unique(assignments.map(({ resourceId }) => resourceId)).filter(
    (id) => !principals.some((one) => one.id === id),
  )
  const filters = missing.map((id) => `id eq ${quoted(id)}`)
  const others = await findAll(graph, '/servicePrincipals', filters, servicePrincipal)
  const servicePrincipals = [...principals, ...others]
  return { tenantId, applications, servicePrincipals, assignments }
}

/** The objects that at least one of the filters finds. */
async function findAll<One>(
  graph: GraphClient,
  path: string,
  filters: readonly string[],
  schema: z.ZodType<One>,
): Promise<One[]> {
  const found = await Promise.all(
    filters.map((filter) => graph.list(`${path}?$filter=${encodeURIComponent(filter)}`, schema)),
  )
  return found.flat()
}

const unique = (values: readonly string[]) => [...new Set(values)]
const byId = <One extends { readonly id: string }>(all: readonly One[]): One[] => [
  ...new Map(all.map((one) => [one.id, one])).values(),
]

// OData 4.01 part 2, section 5.1.1.14.1: a quote within a string is doubled.
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
