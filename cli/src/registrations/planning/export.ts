import type { Application, AppRole, DirectoryState } from './directory-state.ts'
import { assignmentsOf } from './plan-consents.ts'

/** A registrations file as it is written: plain JSON that the schema admits. */
export type ExportedFile = Record<string, unknown>

export type Exported = {
  readonly file: ExportedFile
  /** What of the directory a file cannot say, one sentence each. */
  readonly notes: readonly string[]
}

export type ExportOptions = {
  /** Names or application ids of the applications to take; all when there are none. */
  readonly names?: readonly string[]
  /** Whether to leave out what only this tenant has: its id, and the application ids. */
  readonly portable?: boolean
}

/**
 * Writes the directory as a registrations file, so that a plan of that file against the same
 * directory has no steps.
 */
export function exportRegistrations(state: DirectoryState, options: ExportOptions = {}): Exported {
  const { names = [], portable = false } = options
  const taken = state.applications.filter(
    ({ displayName, appId }) =>
      names.length === 0 || names.includes(displayName) || names.includes(appId),
  )
  const notes: string[] = []
  const nameOf = (appId: string) => resourceName(state, appId)
  const apis = taken.filter(isApi)
  const clients = taken.filter((one) => !isApi(one) || isClient(one, state))
  const idOf = ({ appId }: Application) => (portable ? {} : { applicationId: appId })
  const file: ExportedFile = {
    ...(portable ? {} : { tenant: { id: state.tenantId } }),
    apis: apis.map((api) => ({
      displayName: api.displayName,
      ...idOf(api),
      ...apiOf(api, state, portable),
    })),
    clients: clients.map((client) => ({
      displayName: client.displayName,
      ...idOf(client),
      permissions: permissionsOf(client, state, nameOf, notes),
      ...secretsOf(client, notes),
    })),
    consents: clients.flatMap((client) => consentsOf(client, state)),
  }
  return { file, notes: [...notes, ...twins(taken, portable)] }
}

const isApi = ({ appRoles, identifierUris }: Application) =>
  identifierUris.length > 0 || appRoles.some(isForApplications)

const isForApplications = ({ allowedMemberTypes }: AppRole) =>
  allowedMemberTypes.includes('Application')

const isDeclarable = (role: AppRole) => isForApplications(role) && Boolean(role.value)

const isClient = (one: Application, state: DirectoryState) =>
  one.requiredResourceAccess.length > 0 ||
  one.passwordCredentials.length > 0 ||
  one.keyCredentials.length > 0 ||
  grantsOf(one, state).length > 0

function apiOf(api: Application, { servicePrincipals }: DirectoryState, portable: boolean) {
  const { identifierUris, appId, appRoles } = api
  const version = api.api?.requestedAccessTokenVersion
  const principal = servicePrincipals.find((one) => one.appId === appId)
  return {
    identifierUris: identifierUris.map((uri) =>
      portable ? uri.replaceAll(appId, '{applicationId}') : uri,
    ),
    ...(version && { requestedAccessTokenVersion: version }),
    ...(principal?.appRoleAssignmentRequired && { appRoleAssignmentRequired: true }),
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

/** The roles that a client was given, by the application id of their API. */
function grantsOf({ appId }: Application, state: DirectoryState): Grant[] {
  const servicePrincipal = state.servicePrincipals.find((one) => one.appId === appId)
  if (servicePrincipal === undefined) return []
  return assignmentsOf({ name: '', servicePrincipal }, state).flatMap(
    ({ resourceId, appRoleId }) => {
      const resource = state.servicePrincipals.find(({ id }) => id === resourceId)
      const role = roleValue(state, resource?.appId, appRoleId)
      return resource && role ? [{ appId: resource.appId, role }] : []
    },
  )
}

function permissionsOf(
  client: Application,
  state: DirectoryState,
  nameOf: (appId: string) => string,
  notes: string[],
) {
  const byApi = new Map<string, Set<string>>()
  const add = (appId: string, role: string) =>
    byApi.set(nameOf(appId), (byApi.get(nameOf(appId)) ?? new Set()).add(role))
  for (const { resourceAppId, resourceAccess } of client.requiredResourceAccess) {
    for (const { id, type } of resourceAccess) {
      const role = roleValue(state, resourceAppId, id)
      if (type !== 'Role') continue
      if (role !== undefined) add(resourceAppId, role)
      else
        notes.push(
          `"${client.displayName}" requests a role (${id}) that no API declares: the file omits it.`,
        )
    }
  }
  for (const { appId, role } of grantsOf(client, state)) {
    if (byApi.get(nameOf(appId))?.has(role)) continue
    notes.push(
      `"${client.displayName}" was granted ${role} of "${nameOf(appId)}" without a request: the file adds the request.`,
    )
    add(appId, role)
  }
  return [...byApi].map(([api, roles]) => ({ api, roles: [...roles] }))
}

function consentsOf(client: Application, state: DirectoryState) {
  const byApi = Map.groupBy(grantsOf(client, state), ({ appId }) => appId)
  return [...byApi].map(([appId, grants]) => ({
    client: client.displayName,
    api: resourceName(state, appId),
    roles: grants.map(({ role }) => role),
  }))
}

const dayMs = 86_400_000
const longestLifetimeDays = 730
const usualOverlapDays = 30

function secretsOf(client: Application, notes: string[]) {
  const { displayName: name, passwordCredentials, keyCredentials } = client
  if (keyCredentials.length > 0)
    notes.push(
      `"${name}" has certificates, which the directory does not show: the file omits them.`,
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

const resourceName = ({ applications, servicePrincipals }: DirectoryState, appId: string) =>
  [...applications, ...servicePrincipals].find((one) => one.appId === appId)?.displayName ?? appId

function roleValue(
  { applications, servicePrincipals }: DirectoryState,
  appId: string | undefined,
  roleId: string,
): string | undefined {
  const declared = [...applications, ...servicePrincipals].filter((one) => one.appId === appId)
  return (
    declared.flatMap(({ appRoles }) => appRoles).find(({ id }) => id === roleId)?.value ?? undefined
  )
}

/** Names that several applications have: a file names each application once. */
function twins(applications: readonly Application[], portable: boolean): string[] {
  const byName = Map.groupBy(applications, ({ displayName }) => displayName)
  return [...byName]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => {
      const ids = all.map(({ appId }) => appId).join(', ')
      return `${all.length} applications have the name "${name}" (${ids}): rename all but one${portable ? '' : ', or export one of them by its ID'}.`
    })
}
