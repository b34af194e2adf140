import type { RequiredResourceAccess } from '../../directory/directory-state.ts'
import type { Located } from '../../directory/locate.ts'
import type { ClientEntry } from '../../registrations-file.ts'
import type { Change, RequestedRoles, RoleName } from './change.ts'
import type { KnownApis } from './known-apis.ts'

/** Step 4: plans the application permissions that a client requests. A request grants nothing. */
export function planPermissions(
  client: Located,
  wanted: NonNullable<ClientEntry['permissions']>,
  apis: KnownApis,
): Change[] {
  const present = client.application?.requiredResourceAccess ?? []
  const before = present.flatMap((access) => requested(access, apis))
  const after = wanted.flatMap(({ api, roles }): RequestedRoles[] => {
    const known = apis.named(api)
    return known === undefined ? [] : [{ api, roles: roles.flatMap((value) => known.role(value)) }]
  })
  const added = without(after, before)
  const removed = without(before, after)
  if (added.length === 0 && removed.length === 0) return []
  return [
    {
      kind: 'setPermissions',
      step: 'Permissions',
      application: client.name,
      // An assigned role stays. Only a removed admin consent removes a role.
      destructive: false,
      added,
      removed,
      permissions: after,
      delegated: present.flatMap(delegated),
    },
  ]
}

function requested(access: RequiredResourceAccess, apis: KnownApis): RequestedRoles[] {
  const roles = access.resourceAccess.filter(({ type }) => type === 'Role')
  if (roles.length === 0) return []
  const api = apis.withAppId(access.resourceAppId)
  return [
    {
      api: api?.name ?? access.resourceAppId,
      roles: roles.map(({ id }) => ({ id, value: api?.valueOf(id) ?? id })),
    },
  ]
}

function delegated({ resourceAppId, resourceAccess }: RequiredResourceAccess) {
  const ids = resourceAccess.filter(({ type }) => type !== 'Role').map(({ id }) => id)
  return ids.length === 0 ? [] : [{ resourceAppId, ids }]
}

function without(
  some: readonly RequestedRoles[],
  others: readonly RequestedRoles[],
): RequestedRoles[] {
  return some.flatMap(({ api, roles }): RequestedRoles[] => {
    const there = others.find((other) => other.api === api)?.roles ?? []
    const left = roles.filter((role: RoleName) => !there.some(({ id }) => id === role.id))
    return left.length === 0 ? [] : [{ api, roles: left }]
  })
}
