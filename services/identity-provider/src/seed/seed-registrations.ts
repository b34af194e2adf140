// Folder: The first registrations are a file and a change: no network, no keys.

import {
  appManagementFaults,
  builtInApiAppIds,
  initialAppManagementPolicy,
  judgeAppRoles,
  judgeIdentifierUris,
  ownerTenantId,
  propertyPathText,
  storableTextIssues,
  tenantIdIn,
} from '@greeting/directory'
import {
  applicationIdPlaceholder,
  callersOf,
  parseRegistrations,
  type RegistrationsFile,
  RegistrationsFileError,
  stableRoleId,
} from '@greeting/registrations'

/** Values for the IDs that a file may omit. */
export type DefaultIds = {
  readonly newGuid: () => string
  readonly now: () => Date
  readonly tenantId: string
}

/** The error for a registrations file that the first start cannot apply. The message names every issue. */
export class RegistrationsError extends Error {
  readonly code = 'registrations_invalid'
  override readonly name = 'RegistrationsError'
}

type Path = readonly PropertyKey[]
type Issue = { readonly path: Path; readonly message: string }

/** The registrations of an empty directory, with every default filled in. */
export type SeedRegistrations = ReturnType<typeof withDefaults>

/**
 * Reads the registrations for an empty directory.
 *
 * @param bytes content of the file
 * @param fileName name of the file in messages
 * @throws {RegistrationsError} registrations_invalid when the file breaks the format, breaks a rule
 *   of the directory, or needs the management API
 */
export function readSeedRegistrations(
  bytes: Uint8Array | string,
  fileName: string,
  defaults: DefaultIds,
): SeedRegistrations {
  // 1. The format, as `greeting registrations` reads it.
  const file = parseFile(bytes, fileName)
  // 2. Its texts.
  refuseIssues(fileName, textIssues(file))
  // 3. The parts that only the management API can apply.
  refuseUnsupported(fileName, unsupportedPlaces(file))
  // 4. The defaults, and the rules of the directory.
  const registrations = withDefaults(file, defaults)
  refuseIssues(fileName, directoryIssues(registrations, defaults.now()))
  return registrations
}

function parseFile(bytes: Uint8Array | string, fileName: string): RegistrationsFile {
  try {
    return parseRegistrations(bytes)
  } catch (cause) {
    if (!(cause instanceof RegistrationsFileError)) throw cause
    throw invalid(fileName, cause.message, { cause })
  }
}

const invalid = (fileName: string, issues: string, options?: ErrorOptions) =>
  new RegistrationsError(`Invalid registrations in ${fileName}: ${issues}`, options)

function refuseIssues(fileName: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return
  throw invalid(
    fileName,
    issues.map(({ path, message }) => `${propertyPathText(path)} ${message}`).join('; '),
  )
}

function refuseUnsupported(fileName: string, places: readonly Path[]): void {
  if (places.length === 0) return
  throw new RegistrationsError(
    `The first start cannot apply ${places.map(propertyPathText).join(', ')} of ${fileName}: remove this, or apply the file with "npx --no-install greeting registrations apply"`,
  )
}

/**
 * The seed reads no second file, so it knows no certificate. It runs before the service principals
 * of the management APIs exist, so it knows only the APIs of the file.
 */
function unsupportedPlaces(file: RegistrationsFile): Path[] {
  const isDeclared = (name: string) => file.apis.some(({ displayName }) => displayName === name)
  return [
    ...callersOf(file).flatMap(({ certificates = [], permissions = [], inherit = [], place }) => [
      ...(certificates.length > 0 ? [[...place, 'certificates']] : []),
      ...permissions.flatMap(({ api }, index) =>
        isDeclared(api) ? [] : [[...place, 'permissions', index]],
      ),
      ...inherit.flatMap((api, index) => (isDeclared(api) ? [] : [[...place, 'inherit', index]])),
    ]),
    ...(file.consents ?? []).flatMap(({ api }, index) =>
      isDeclared(api) ? [] : [['consents', index]],
    ),
  ]
}

function withDefaults(file: RegistrationsFile, { newGuid, tenantId }: DefaultIds) {
  const tenant = {
    id: file.tenant?.id ?? tenantId,
    displayName: file.tenant?.displayName ?? 'Default Directory',
    domains: file.tenant?.domains ?? [],
  }
  const ids = new Map<string, string>()
  const callers = callersOf(file)
  for (const { displayName, applicationId } of [...file.apis, ...callers])
    ids.set(displayName, applicationId ?? ids.get(displayName) ?? newGuid())
  const named = <Entry extends { readonly displayName: string }>(entry: Entry) => ({
    ...entry,
    applicationId: ids.get(entry.displayName) ?? '',
  })
  const entries = callers.map(({ permissions = [], secrets = [], ...caller }) =>
    named({ ...caller, permissions, secrets }),
  )
  const requested = (client: string, api: string) =>
    entries
      .filter(({ displayName }) => displayName === client)
      .flatMap(({ permissions }) => permissions.filter((permission) => permission.api === api))
      .flatMap(({ roles }) => roles)
  return {
    tenant,
    apis: file.apis.map(named).map((api) => ({
      ...api,
      identifierUris: (api.identifierUris ?? [`api://${applicationIdPlaceholder}`]).map((uri) =>
        uri.replaceAll(applicationIdPlaceholder, api.applicationId),
      ),
      appRoles: api.appRoles.map(({ lang: _lang, origin: _origin, ...role }) => ({
        ...role,
        id: role.id ?? stableRoleId(tenant.id, api.displayName, role.value),
      })),
    })),
    /** The clients and the blueprints. */
    clients: entries.filter(({ kind }) => kind !== 'agent'),
    agents: entries.filter(({ kind }) => kind === 'agent'),
    consents: (file.consents ?? []).map(({ client, api, roles }) => ({
      client,
      api,
      roles: roles ?? requested(client, api),
    })),
  }
}

/** The texts of a file that no store can keep unchanged, or that a terminal would interpret. */
function textIssues(value: unknown, path: Path = []): Issue[] {
  if (typeof value === 'string')
    return storableTextIssues(value).map((message) => ({ path, message }))
  if (Array.isArray(value))
    return value.flatMap((item, index) => textIssues(item, [...path, index]))
  return Object.entries(value ?? {}).flatMap(([key, member]) => textIssues(member, [...path, key]))
}

/** The rules of Microsoft Graph, with those of the default app management policy. */
function directoryIssues({ tenant, apis, clients, agents }: SeedRegistrations, now: Date): Issue[] {
  const tenantIssues: Issue[] = tenant.domains.flatMap((domain, index) =>
    tenantIdIn(domain) === undefined
      ? []
      : [{ path: ['tenant', 'domains', index], message: 'must be a domain name without an ID' }],
  )
  if (tenant.id === ownerTenantId) {
    const message = 'must not be the ID of the tenant that owns the management APIs'
    tenantIssues.push({ path: ['tenant', 'id'], message })
  }
  return [
    ...tenantIssues,
    ...reservedIds(apis.map((api, index) => ({ ...api, place: ['apis', index] }))),
    ...reservedIds([...clients, ...agents]),
    ...apis.flatMap(({ applicationId: appId, identifierUris, appRoles, ...api }, index) => {
      const requestedAccessTokenVersion = api.requestedAccessTokenVersion ?? null
      const object = { kind: 'application', appId, requestedAccessTokenVersion, tenant } as const
      const added = { identifierUris }
      return [
        ...judgeAppRoles(appRoles).map(under('apis', index, 'appRoles')),
        ...judgeIdentifierUris(identifierUris).map(under('apis', index, 'identifierUris')),
        ...appManagementFaults(initialAppManagementPolicy, object, added, now).map(
          ({ code, message }) => ({
            path: ['apis', index, 'identifierUris'],
            message: `would be refused with ${code}: ${message}`,
          }),
        ),
      ]
    }),
  ]
}

const reservedIds = (
  entries: readonly { readonly applicationId: string; readonly place: Path }[],
): Issue[] =>
  entries.flatMap(({ applicationId, place }) =>
    builtInApiAppIds.includes(applicationId)
      ? [
          {
            path: [...place, 'applicationId'],
            message: 'must not be the ID of a management API',
          },
        ]
      : [],
  )

const under =
  (...parents: PropertyKey[]) =>
  ({ path, message }: Issue): Issue => ({ path: [...parents, ...path], message })
