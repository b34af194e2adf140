import { valuesToExport } from '../compared-properties.ts'
import { countCredentials } from '../directory/credentials.ts'
import { type DirectoryIndex, directoryIndex } from '../directory/directory-index.ts'
import {
  type Application,
  type AppRole,
  type DirectoryState,
  isBlueprint,
  type ServicePrincipal,
} from '../directory/directory-state.ts'
import { isInherited } from './steps/plan-agents.ts'

/** A registrations file before the schema reads it: plain JSON. */
type ExportedFile = Record<string, unknown>

type Exported = {
  readonly file: ExportedFile
  /** Parts of the directory that a file cannot describe, one sentence each. */
  readonly notes: readonly string[]
}

export type ExportOptions = {
  /** Names or application IDs of the applications to export; all if empty. */
  readonly names?: readonly string[]
  /** Whether to omit what is particular to this tenant: its ID and the application IDs. */
  readonly portable?: boolean
}

/**
 * Converts the directory to a registrations file. A plan of that file against the same directory
 * has no changes.
 */
export function exportRegistrations(state: DirectoryState, options: ExportOptions = {}): Exported {
  const { names = [], portable = false } = options
  const index = directoryIndex(state)
  const chosen = new Set(names)
  const taken = state.applications.filter(
    ({ displayName, appId }) => chosen.size === 0 || chosen.has(displayName) || chosen.has(appId),
  )
  const notes: string[] = []
  const nameOf = (appId: string) => resourceName(index, appId)
  const blueprints = taken.filter(isBlueprint)
  const others = taken.filter((one) => !isBlueprint(one))
  const apis = others.filter(isApi)
  const clients = others.filter((one) => !isApi(one) || isClient(one, index))
  const agents = blueprints.flatMap(({ appId }) => index.agentsOf(appId))
  const grantees = [
    ...[...clients, ...blueprints].map(({ displayName, appId }) => {
      return { displayName, principal: index.servicePrincipal(appId) }
    }),
    ...agents.map((principal) => ({ displayName: principal.displayName, principal })),
  ]
  const idOf = ({ appId }: Application) => (portable ? {} : { applicationId: appId })
  const clientOf = (client: Application) => ({
    displayName: client.displayName,
    ...idOf(client),
    permissions: permissionsOf(client, index, nameOf, notes),
    ...secretsOf(client, principalCredentials(client, index), notes),
  })
  const file: ExportedFile = {
    ...(portable ? {} : { tenant: { id: state.tenantId } }),
    apis: apis.map((api) => ({
      displayName: api.displayName,
      ...idOf(api),
      ...apiOf(api, index, portable),
    })),
    clients: clients.map(clientOf),
    ...(blueprints.length > 0 && {
      blueprints: blueprints.map((one) => ({
        ...clientOf(one),
        ...blueprintOf(one, nameOf, notes),
        agents: index.agentsOf(one.appId).map((agent) => ({
          displayName: agent.displayName,
          ...(portable ? {} : { applicationId: agent.id }),
          permissions: rolesByApi(agent, index),
        })),
      })),
    }),
    consents: grantees.flatMap(({ displayName: client, principal }) =>
      rolesByApi(principal, index).map((roles) => ({ client, ...roles })),
    ),
  }
  return { file, notes: [...notes, ...twins(taken, portable)] }
}

const isApi = ({ appRoles, identifierUris }: Application) =>
  identifierUris.length > 0 || appRoles.some(isForApplications)

const isForApplications = ({ allowedMemberTypes }: AppRole) =>
  allowedMemberTypes.includes('Application')

const isDeclarable = (role: AppRole) => isForApplications(role) && Boolean(role.value)

const isClient = (one: Application, index: DirectoryIndex) =>
  one.requiredResourceAccess.length > 0 ||
  one.passwordCredentials.length > 0 ||
  one.keyCredentials.length > 0 ||
  principalCredentials(one, index) !== undefined ||
  grantsOf(index.servicePrincipal(one.appId), index).length > 0

/** The credentials of the service principal, in words. They authenticate the client as well. */
function principalCredentials({ appId }: Application, index: DirectoryIndex): string | undefined {
  const principal = index.servicePrincipal(appId)
  return principal && countCredentials(principal)
}

function apiOf(api: Application, index: DirectoryIndex, portable: boolean) {
  const { identifierUris, appId, appRoles } = api
  return {
    identifierUris: identifierUris.map((uri) =>
      portable ? uri.replaceAll(appId, '{applicationId}') : uri,
    ),
    ...valuesToExport('application', api),
    ...valuesToExport('servicePrincipal', index.servicePrincipal(appId)),
    appRoles: appRoles.filter(isDeclarable).map((role) => ({
      allowedMemberTypes: role.allowedMemberTypes,
      description: role.description || role.value,
      displayName: role.displayName || role.value,
      id: role.id,
      isEnabled: role.isEnabled,
      lang: null,
      origin: 'Application',
      value: role.value,
    })),
  }
}

type Grant = { readonly appId: string; readonly role: string }

/** The assigned roles of a client, by application ID of their API. */
function grantsOf(principal: ServicePrincipal | undefined, index: DirectoryIndex): Grant[] {
  return index.assignmentsOf(principal?.id).flatMap(({ resourceId, appRoleId }) => {
    const resource = index.servicePrincipalWithId(resourceId)
    const role = index.roleValue(resource?.appId, appRoleId)
    return resource && role ? [{ appId: resource.appId, role }] : []
  })
}

function permissionsOf(
  client: Application,
  index: DirectoryIndex,
  nameOf: (appId: string) => string,
  notes: string[],
) {
  const byApi = new Map<string, Set<string>>()
  const add = (appId: string, role: string) =>
    byApi.set(nameOf(appId), (byApi.get(nameOf(appId)) ?? new Set()).add(role))
  for (const { resourceAppId, resourceAccess } of client.requiredResourceAccess) {
    for (const { id, type } of resourceAccess) {
      const role = index.roleValue(resourceAppId, id)
      if (type !== 'Role') continue
      if (role !== undefined) add(resourceAppId, role)
      else
        notes.push(
          `"${client.displayName}" requests a role (${id}) that no API declares: the file omits it.`,
        )
    }
  }
  for (const { appId, role } of grantsOf(index.servicePrincipal(client.appId), index)) {
    if (byApi.get(nameOf(appId))?.has(role)) continue
    notes.push(
      `"${client.displayName}" was granted ${role} of "${nameOf(appId)}" without a request: the file adds the request.`,
    )
    add(appId, role)
  }
  return [...byApi].map(([api, roles]) => ({ api, roles: [...roles] }))
}

function rolesByApi(principal: ServicePrincipal | undefined, index: DirectoryIndex) {
  const byApi = Map.groupBy(grantsOf(principal, index), ({ appId }) => appId)
  return [...byApi].map(([appId, grants]) => ({
    api: resourceName(index, appId),
    roles: grants.map(({ role }) => role),
  }))
}

/** What a blueprint has besides the members of a client. */
function blueprintOf(one: Application, nameOf: (appId: string) => string, notes: string[]) {
  const { sponsors = [], inheritablePermissions = [], federatedIdentityCredentials } = one
  const isDescribable = federatedIdentityCredentials.every(({ subject }) => subject)
  if (!isDescribable)
    notes.push(
      `"${one.displayName}" has a federated credential without a subject: the file omits its federated credentials.`,
    )
  return {
    ...(sponsors.length > 0 && { sponsors: sponsors.map(({ id }) => id) }),
    inherit: inheritablePermissions
      .filter(isInherited)
      .map(({ resourceAppId }) => nameOf(resourceAppId)),
    ...(isDescribable && {
      federatedCredentials: federatedIdentityCredentials.map(
        ({ name: displayName, issuer, subject, audiences: [audience] = [] }) => {
          return { displayName, issuer, subject, audience }
        },
      ),
    }),
  }
}

const dayMs = 86_400_000
const longestLifetimeDays = 730
const usualOverlapDays = 30

function secretsOf(client: Application, ofServicePrincipal: string | undefined, notes: string[]) {
  const { displayName: name, passwordCredentials, keyCredentials } = client
  if (keyCredentials.length > 0)
    notes.push(
      `"${name}" has certificates, which the directory does not show: the file omits them.`,
    )
  if (ofServicePrincipal !== undefined)
    notes.push(
      `"${name}" has credentials of its service principal (${ofServicePrincipal}), which a file cannot describe: the file omits them.`,
    )
  if (passwordCredentials.some(({ displayName }) => !displayName)) {
    notes.push(`"${name}" has a secret without a name: the file omits its secrets.`)
    return {}
  }
  const byName = Map.groupBy(passwordCredentials, ({ displayName }) => displayName ?? '')
  return {
    secrets: [...byName].map(([displayName, [one]]) => {
      const days = one ? Math.round((+one.endDateTime - +one.startDateTime) / dayMs) : 1
      const lifetimeDays = Math.min(Math.max(days, 1), longestLifetimeDays)
      const overlapDays = Math.min(usualOverlapDays, Math.floor(lifetimeDays / 2))
      return { displayName, lifetimeDays, overlapDays }
    }),
  }
}

const resourceName = (index: DirectoryIndex, appId: string) =>
  (index.application(appId) ?? index.servicePrincipal(appId))?.displayName ?? appId

/** Names that several applications have. In a file, each name is unique. */
function twins(applications: readonly Application[], portable: boolean): string[] {
  const byName = Map.groupBy(applications, ({ displayName }) => displayName)
  return [...byName]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => {
      const ids = all.map(({ appId }) => appId).join(', ')
      return `${all.length} applications have the name "${name}" (${ids}): rename all but one${portable ? '' : ', or export one of them by its ID'}.`
    })
}
