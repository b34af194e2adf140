import type { z } from 'zod'
import { type CallerEntry, callersOf } from './callers.ts'
import type { RegistrationsFile } from './registrations-file.ts'

type Issue = { readonly path: (string | number)[]; readonly message: string }

/** Checks the rules that concern several entries: unique names and IDs, and references that exist. */
export function checkReferences(file: RegistrationsFile, context: z.core.$RefinementCtx): void {
  for (const { path, message } of issuesOf(file))
    context.addIssue({ code: 'custom', path, message })
}

/** The entries by name: the first one of a name, because names may still repeat. */
type Index = {
  readonly apis: ReadonlyMap<string, IndexedApi>
  readonly clients: ReadonlyMap<string, IndexedClient>
}
type IndexedApi = {
  readonly applicationId: string | undefined
  readonly roles: ReadonlySet<string>
}
type IndexedClient = {
  readonly permissions: ReadonlyMap<string, readonly string[]> | undefined
}

const indexOf = ({ apis }: RegistrationsFile, callers: readonly CallerEntry[]): Index => ({
  apis: firstByName(apis, ({ applicationId, appRoles }) => ({
    applicationId,
    roles: new Set(appRoles.map(({ value }) => value)),
  })),
  clients: firstByName(callers, ({ permissions }) => ({
    permissions: permissions && firstBy(permissions.map(({ api, roles }) => [api, roles])),
  })),
})

function issuesOf(file: RegistrationsFile): Issue[] {
  const callers = callersOf(file)
  const index = indexOf(file, callers)
  const declared = new Set(names([...file.apis, ...callers]))
  const consents = new Set<string>()
  return [
    ...repeated(['apis'], 'displayName', names(file.apis)),
    ...repeatedNames(callers),
    ...sharedIds(file, callers),
    ...file.apis.flatMap(({ appRoles }, at) => [
      ...repeated(
        ['apis', at, 'appRoles'],
        'id',
        appRoles.map(({ id }) => id),
      ),
      ...repeated(
        ['apis', at, 'appRoles'],
        'value',
        appRoles.map(({ value }) => value),
      ),
    ]),
    ...callers.flatMap((caller) => callerIssues(index, caller)),
    ...(file.consents ?? []).flatMap((consent, at) => {
      const pair = JSON.stringify([consent.client, consent.api])
      const isRepeated = consents.has(pair)
      consents.add(pair)
      return consentIssues(index, consent, at, isRepeated)
    }),
    ...file.removed.flatMap((name, at): Issue[] =>
      declared.has(name)
        ? [{ path: ['removed', at], message: `"${name}" is also declared in this file` }]
        : [],
    ),
  ]
}

function repeatedNames(callers: readonly CallerEntry[]): Issue[] {
  const seen = new Set<string>()
  return callers.flatMap(({ displayName, place }): Issue[] => {
    const isRepeated = seen.has(displayName)
    seen.add(displayName)
    const path = [...place, 'displayName']
    return isRepeated ? [{ path, message: `"${displayName}" is used twice` }] : []
  })
}

/** One application ID under two names would register one application twice. */
function sharedIds({ apis }: RegistrationsFile, callers: readonly CallerEntry[]): Issue[] {
  const entries = [...apis.map((entry, at) => ({ ...entry, place: ['apis', at] })), ...callers]
  const firstNames = new Map<string, string>()
  return entries.flatMap(({ displayName, applicationId, place }): Issue[] => {
    if (applicationId === undefined) return []
    const firstName = firstNames.get(applicationId) ?? displayName
    firstNames.set(applicationId, firstName)
    if (firstName === displayName) return []
    const path = [...place, 'applicationId']
    return [{ path, message: `"${applicationId}" is the ID of another entry` }]
  })
}

type Consent = NonNullable<RegistrationsFile['consents']>[number]

function callerIssues(index: Index, entry: CallerEntry): Issue[] {
  const { place, permissions = [], secrets = [], certificates = [] } = entry
  const { federatedCredentials = [], inherit = [] } = entry
  return [
    ...sameApiIssues(index, entry),
    ...repeated(
      [...place, 'permissions'],
      'api',
      permissions.map(({ api }) => api),
    ),
    ...permissions.flatMap(({ api, roles }, at) => [
      ...repeated([...place, 'permissions', at, 'roles'], undefined, roles),
      ...undeclaredRoles(index, api, roles, [...place, 'permissions', at, 'roles']),
    ]),
    ...repeated([...place, 'secrets'], 'displayName', names(secrets)),
    ...repeated([...place, 'certificates'], 'displayName', names(certificates)),
    ...repeated([...place, 'federatedCredentials'], 'displayName', names(federatedCredentials)),
    ...repeated([...place, 'inherit'], undefined, inherit),
  ]
}

/** A client may have the name of an API, and is the same application then. Others may not. */
function sameApiIssues(index: Index, { displayName, applicationId, place }: CallerEntry): Issue[] {
  const api = index.apis.get(displayName)
  if (api === undefined) return []
  const name = `the API "${displayName}"`
  if (place[0] !== 'clients')
    return [{ path: [...place, 'displayName'], message: `is the name of ${name}` }]
  if (api.applicationId === applicationId) return []
  const message = `must be the ID of ${name}, which is the same application`
  return [{ path: [...place, 'applicationId'], message }]
}

function consentIssues(
  index: Index,
  consent: Consent,
  position: number,
  isRepeated: boolean,
): Issue[] {
  const place = ['consents', position]
  const { api, roles = [] } = consent
  const client = index.clients.get(consent.client)
  if (client === undefined)
    return [
      {
        path: [...place, 'client'],
        message: `no client of this file has the name "${consent.client}"`,
      },
    ]
  const issues: Issue[] = undeclaredRoles(index, api, roles, [...place, 'roles'])
  if (isRepeated)
    issues.push({ path: place, message: 'repeats an admin consent for this client and this API' })
  if (client.permissions === undefined) {
    if (consent.roles !== undefined) return issues
    const message = `is required, because the client "${consent.client}" has no permissions in this file`
    return [...issues, { path: [...place, 'roles'], message }]
  }
  const requested = client.permissions.get(api)
  if (requested === undefined) {
    const message = `the client "${consent.client}" requests no permission of the API "${api}"`
    return [...issues, { path: [...place, 'api'], message }]
  }
  const unrequested = roles.flatMap((role, at): Issue[] =>
    requested.includes(role)
      ? []
      : [
          {
            path: [...place, 'roles', at],
            message: `the client "${consent.client}" does not request the permission "${role}". Admin consent grants requested permissions only`,
          },
        ],
  )
  return [...issues, ...unrequested, ...repeated([...place, 'roles'], undefined, roles)]
}

function undeclaredRoles(
  index: Index,
  name: string,
  roles: readonly string[],
  path: (string | number)[],
): Issue[] {
  const api = index.apis.get(name)
  // The planner looks in the directory for an API that the file does not declare.
  if (api === undefined) return []
  return roles.flatMap((role, at): Issue[] =>
    api.roles.has(role)
      ? []
      : [{ path: [...path, at], message: `the API "${name}" declares no role "${role}"` }],
  )
}

function repeated(
  path: (string | number)[],
  property: string | undefined,
  values: readonly (string | undefined)[],
): Issue[] {
  const seen = new Set<string>()
  return values.flatMap((value, index): Issue[] => {
    if (value === undefined) return []
    if (!seen.has(value)) {
      seen.add(value)
      return []
    }
    const place = [...path, index, ...(property === undefined ? [] : [property])]
    return [{ path: place, message: `"${value}" is used twice` }]
  })
}

const firstByName = <Entry extends { readonly displayName: string }, Value>(
  entries: readonly Entry[],
  infoOf: (entry: Entry) => Value,
) => firstBy(entries.map((entry) => [entry.displayName, infoOf(entry)]))

function firstBy<Value>(pairs: readonly (readonly [string, Value])[]): Map<string, Value> {
  return new Map(pairs.toReversed())
}

const names = (entries: readonly { readonly displayName: string }[]) =>
  entries.map(({ displayName }) => displayName)
