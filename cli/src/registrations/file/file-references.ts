import type { z } from 'zod'

/** What of a file its entries say about each other. */
type Referring = {
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

type Fault = { readonly path: (string | number)[]; readonly message: string }

/** Judges what no entry can say alone: names that are given twice, and names that nothing has. */
export function judgeReferences(file: Referring, context: z.core.$RefinementCtx): void {
  for (const { path, message } of faultsOf(file)) {
    context.addIssue({ code: 'custom', path, message })
  }
}

function faultsOf(file: Referring): Fault[] {
  return [
    ...repeated(['apis'], 'displayName', names(file.apis)),
    ...repeated(['clients'], 'displayName', names(file.clients)),
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
    ...file.clients.flatMap((client, index) => clientFaults(file, client, index)),
    ...(file.consents ?? []).flatMap((consent, index) => consentFaults(file, consent, index)),
    ...file.removed.flatMap((name, index): Fault[] =>
      names([...file.apis, ...file.clients]).includes(name)
        ? [{ path: ['removed', index], message: `"${name}" is also declared in this file` }]
        : [],
    ),
  ]
}

type Client = Referring['clients'][number]
type Consent = NonNullable<Referring['consents']>[number]

function clientFaults({ apis }: Referring, client: Client, index: number): Fault[] {
  const here = ['clients', index]
  const { permissions = [], secrets = [], certificates = [] } = client
  const same = apis.find(({ displayName }) => displayName === client.displayName)
  return [
    ...(same !== undefined && same.applicationId !== client.applicationId
      ? [
          {
            path: [...here, 'applicationId'],
            message: `must be that of the API "${client.displayName}", which is the same application`,
          },
        ]
      : []),
    ...repeated(
      [...here, 'permissions'],
      'api',
      permissions.map(({ api }) => api),
    ),
    ...permissions.flatMap(({ api, roles }, at) => [
      ...repeated([...here, 'permissions', at, 'roles'], undefined, roles),
      ...undeclaredRoles(apis, api, roles, [...here, 'permissions', at, 'roles']),
    ]),
    ...repeated([...here, 'secrets'], 'displayName', names(secrets)),
    ...repeated([...here, 'certificates'], 'displayName', names(certificates)),
  ]
}

function consentFaults(
  { apis, clients, consents = [] }: Referring,
  consent: Consent,
  index: number,
): Fault[] {
  const here = ['consents', index]
  const { api, roles = [] } = consent
  const client = clients.find(({ displayName }) => displayName === consent.client)
  if (client === undefined)
    return [{ path: [...here, 'client'], message: `no client of this file is "${consent.client}"` }]
  const faults: Fault[] = undeclaredRoles(apis, api, roles, [...here, 'roles'])
  if (consents.findIndex((other) => other.client === consent.client && other.api === api) < index)
    faults.push({ path: here, message: 'is given twice for this client and this API' })
  if (client.permissions === undefined) {
    if (consent.roles !== undefined) return faults
    const message = `must be given, because the client "${consent.client}" has no permissions here`
    return [...faults, { path: [...here, 'roles'], message }]
  }
  const requested = client.permissions.find((permission) => permission.api === api)?.roles
  if (requested === undefined) {
    const message = `the client "${consent.client}" requests no permission of the API "${api}"`
    return [...faults, { path: [...here, 'api'], message }]
  }
  const unrequested = roles.flatMap((role, at): Fault[] =>
    requested.includes(role)
      ? []
      : [
          {
            path: [...here, 'roles', at],
            message: `the client "${consent.client}" does not request the permission "${role}": admin consent grants what is requested`,
          },
        ],
  )
  return [...faults, ...unrequested, ...repeated([...here, 'roles'], undefined, roles)]
}

function undeclaredRoles(
  apis: Referring['apis'],
  name: string,
  roles: readonly string[],
  path: (string | number)[],
): Fault[] {
  const api = apis.find(({ displayName }) => displayName === name)
  // An API that the file does not declare is looked for in the directory.
  if (api === undefined) return []
  return roles.flatMap((role, index): Fault[] =>
    api.appRoles.some(({ value }) => value === role)
      ? []
      : [{ path: [...path, index], message: `the API "${name}" declares no role "${role}"` }],
  )
}

function repeated(
  path: (string | number)[],
  property: string | undefined,
  values: readonly (string | undefined)[],
): Fault[] {
  return values.flatMap((value, index): Fault[] =>
    value !== undefined && values.indexOf(value) < index
      ? [
          {
            path: [...path, index, ...(property === undefined ? [] : [property])],
            message: `"${value}" is given twice`,
          },
        ]
      : [],
  )
}

const names = (entries: readonly { readonly displayName: string }[]) =>
  entries.map(({ displayName }) => displayName)
