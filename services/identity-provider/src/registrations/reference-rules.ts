import type { ValidationIssue } from '../directory/validation-issue.ts'

/** What of a registrations file refers to something else in it. */
export type Referring = {
  readonly apis: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly appRoles: readonly { readonly value: string; readonly id: string }[]
  }[]
  readonly clients: readonly {
    readonly displayName: string
    readonly applicationId: string
    readonly permissions: readonly { readonly api: string; readonly roles: readonly string[] }[]
  }[]
  readonly consents: readonly {
    readonly client: string
    readonly api: string
    readonly roles: readonly string[]
  }[]
}

type Path = readonly (string | number)[]

const invalid = (path: Path, message: string): ValidationIssue => ({
  code: 'invalid_value',
  path,
  message,
})

/** Judges whether everything that a registrations file refers to is there, under one name only. */
export function judgeReferences(file: Referring): ValidationIssue[] {
  const { apis, clients, consents } = file
  return [
    ...uniqueNames(file),
    ...clients.flatMap(({ permissions }, client) =>
      permissions.flatMap((permission, index) =>
        declaredRoles(apis, permission, ['clients', client, 'permissions', index]),
      ),
    ),
    ...consents.flatMap((consent, index) => [
      ...declaredRoles(apis, consent, ['consents', index]),
      ...requestedRoles(clients, consent, ['consents', index]),
    ]),
  ]
}

function declaredRoles(
  apis: Referring['apis'],
  { api, roles }: { readonly api: string; readonly roles: readonly string[] },
  path: Path,
): ValidationIssue[] {
  const declaring = apis.find(({ displayName }) => displayName === api)
  if (declaring === undefined) return [invalid([...path, 'api'], `names no API: "${api}"`)]
  return roles.flatMap((role, index) =>
    declaring.appRoles.some(({ value }) => value === role)
      ? []
      : [invalid([...path, 'roles', index], `names no app role of ${api}: "${role}"`)],
  )
}

function requestedRoles(
  clients: Referring['clients'],
  consent: Referring['consents'][number],
  path: Path,
): ValidationIssue[] {
  const client = clients.find(({ displayName }) => displayName === consent.client)
  if (client === undefined)
    return [invalid([...path, 'client'], `names no client: "${consent.client}"`)]
  const requested = client.permissions
    .filter(({ api }) => api === consent.api)
    .flatMap(({ roles }) => roles)
  return consent.roles.flatMap((role, index) =>
    requested.includes(role)
      ? []
      : [
          invalid(
            [...path, 'roles', index],
            `is not among the permissions that ${consent.client} requests: "${role}"`,
          ),
        ],
  )
}

function uniqueNames({ apis, clients }: Referring): ValidationIssue[] {
  const named = [
    ...apis.map((one, index) => ({ ...one, path: ['apis', index] })),
    ...clients.map((one, index) => ({ ...one, path: ['clients', index] })),
  ]
  return (['displayName', 'applicationId'] as const).flatMap((property) =>
    named.flatMap((one, index): ValidationIssue[] => {
      const first = named.findIndex((other) => other[property] === one[property])
      if (first === index) return []
      const path = [...one.path, property]
      return [{ code: 'duplicate_value', path, message: `is used twice: "${one[property]}"` }]
    }),
  )
}
