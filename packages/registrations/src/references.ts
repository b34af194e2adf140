import type { z } from 'zod'

/** The parts of a file that refer to each other. */
type Entries = {
  readonly apis: readonly {
    readonly displayName: string
    readonly applicationId?: string | undefined
    readonly appRoles: readonly { readonly id?: string | undefined; readonly value: string }[]
  }[]
  readonly clients: readonly {
    readonly displayName: string
    readonly applicationId?: string | undefined
    readonly permissions?:
      | readonly { readonly api: string; readonly roles: readonly string[] }[]
      | undefined
    readonly secrets?: readonly { readonly displayName: string }[] | undefined
    readonly certificates?: readonly { readonly displayName: string }[] | undefined
  }[]
  readonly consents?:
    | readonly {
        readonly client: string
        readonly api: string
        readonly roles?: readonly string[] | undefined
      }[]
    | undefined
  readonly removed: readonly string[]
}

type Issue = { readonly path: (string | number)[]; readonly message: string }

/** Checks the rules about several entries: unique names and IDs, and references that exist. */
export function checkReferences(file: Entries, context: z.core.$RefinementCtx): void {
  for (const { path, message } of issuesOf(file)) {
    context.addIssue({ code: 'custom', path, message })
  }
}

function issuesOf(file: Entries): Issue[] {
  return [
    ...repeated(['apis'], 'displayName', names(file.apis)),
    ...repeated(['clients'], 'displayName', names(file.clients)),
    ...sharedIds(file),
    ...file.apis.flatMap(({ appRoles }, index) => [
      ...repeated(
        ['apis', index, 'appRoles'],
        'id',
        appRoles.map(({ id }) => id),
      ),
      ...repeated(
        ['apis', index, 'appRoles'],
        'value',
        appRoles.map(({ value }) => value),
      ),
    ]),
    ...file.clients.flatMap((client, index) => clientIssues(file, client, index)),
    ...(file.consents ?? []).flatMap((consent, index) => consentIssues(file, consent, index)),
    ...file.removed.flatMap((name, index): Issue[] =>
      names([...file.apis, ...file.clients]).includes(name)
        ? [{ path: ['removed', index], message: `"${name}" is also declared in this file` }]
        : [],
    ),
  ]
}

/** One application ID under two names would register one application twice. */
function sharedIds({ apis, clients }: Entries): Issue[] {
  const entries = [
    ...apis.map((entry, index) => ({ ...entry, list: 'apis', index })),
    ...clients.map((entry, index) => ({ ...entry, list: 'clients', index })),
  ]
  return entries.flatMap(({ list, index, displayName, applicationId }, position): Issue[] => {
    if (applicationId === undefined) return []
    const first = entries.findIndex((other) => other.applicationId === applicationId)
    if (first === position || entries[first]?.displayName === displayName) return []
    const path = [list, index, 'applicationId']
    return [{ path, message: `"${applicationId}" is the ID of another entry` }]
  })
}

type Client = Entries['clients'][number]
type Consent = NonNullable<Entries['consents']>[number]

function clientIssues({ apis }: Entries, client: Client, index: number): Issue[] {
  const place = ['clients', index]
  const { permissions = [], secrets = [], certificates = [] } = client
  const same = apis.find(({ displayName }) => displayName === client.displayName)
  return [
    ...(same !== undefined && same.applicationId !== client.applicationId
      ? [
          {
            path: [...place, 'applicationId'],
            message: `must be the ID of the API "${client.displayName}", which is the same application`,
          },
        ]
      : []),
    ...repeated(
      [...place, 'permissions'],
      'api',
      permissions.map(({ api }) => api),
    ),
    ...permissions.flatMap(({ api, roles }, at) => [
      ...repeated([...place, 'permissions', at, 'roles'], undefined, roles),
      ...undeclaredRoles(apis, api, roles, [...place, 'permissions', at, 'roles']),
    ]),
    ...repeated([...place, 'secrets'], 'displayName', names(secrets)),
    ...repeated([...place, 'certificates'], 'displayName', names(certificates)),
  ]
}

function consentIssues(
  { apis, clients, consents = [] }: Entries,
  consent: Consent,
  index: number,
): Issue[] {
  const place = ['consents', index]
  const { api, roles = [] } = consent
  const client = clients.find(({ displayName }) => displayName === consent.client)
  if (client === undefined)
    return [
      {
        path: [...place, 'client'],
        message: `no client of this file has the name "${consent.client}"`,
      },
    ]
  const issues: Issue[] = undeclaredRoles(apis, api, roles, [...place, 'roles'])
  if (consents.findIndex((other) => other.client === consent.client && other.api === api) < index)
    issues.push({ path: place, message: 'repeats an admin consent for this client and this API' })
  if (client.permissions === undefined) {
    if (consent.roles !== undefined) return issues
    const message = `is required, because the client "${consent.client}" has no permissions in this file`
    return [...issues, { path: [...place, 'roles'], message }]
  }
  const requested = client.permissions.find((permission) => permission.api === api)?.roles
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
  apis: Entries['apis'],
  name: string,
  roles: readonly string[],
  path: (string | number)[],
): Issue[] {
  const api = apis.find(({ displayName }) => displayName === name)
  // The planner looks in the directory for an API that the file does not declare.
  if (api === undefined) return []
  return roles.flatMap((role, index): Issue[] =>
    api.appRoles.some(({ value }) => value === role)
      ? []
      : [{ path: [...path, index], message: `the API "${name}" declares no role "${role}"` }],
  )
}

function repeated(
  path: (string | number)[],
  property: string | undefined,
  values: readonly (string | undefined)[],
): Issue[] {
  return values.flatMap((value, index): Issue[] =>
    value !== undefined && values.indexOf(value) < index
      ? [
          {
            path: [...path, index, ...(property === undefined ? [] : [property])],
            message: `"${value}" is used twice`,
          },
        ]
      : [],
  )
}

const names = (entries: readonly { readonly displayName: string }[]) =>
  entries.map(({ displayName }) => displayName)
