import type { AppRole } from '../../directory/directory-state.ts'
import { type Located, rolesOf } from '../../directory/locate.ts'
import type { ApiEntry } from '../../registrations-file.ts'
import { stableRoleId } from '../../stable-role-id.ts'
import type { Change, PropertyChange, RoleChange } from './change.ts'

/** The roles that an entry declares, each with its ID. */
export function wantedRoles(entry: ApiEntry, located: Located, tenantId: string): AppRole[] {
  const present = rolesOf(located)
  return entry.appRoles.map(({ lang: _lang, origin: _origin, ...role }) => ({
    ...role,
    id:
      role.id ??
      present.find(({ value }) => value === role.value)?.id ??
      stableRoleId(tenantId, entry.displayName, role.value),
  }))
}

/** Step 2: plans the application roles that an API declares. */
export function planAppRoles(located: Located, wanted: readonly AppRole[]): Change[] {
  const present = rolesOf(located)
  // The file does not describe roles for users only, or roles without a value.
  const foreign = present.filter(
    (role) => !(isForApplications(role) && role.value) && !has(wanted, role),
  )
  const managed = present.filter((role) => !foreign.includes(role))
  const changes = roleChanges(managed, wanted)
  if (changes.length === 0) return []
  const about = { step: 'Application roles', application: located.name } as const
  const outgoing = managed.filter((role) => role.isEnabled && mustBeDisabledFirst(role, wanted))
  const planned: Change[] = []
  if (outgoing.length > 0) {
    const roles = present.map((role) =>
      has(outgoing, role) ? { ...role, isEnabled: false } : role,
    )
    planned.push({
      kind: 'disableAppRoles',
      ...about,
      destructive: true,
      disabled: outgoing.map(named),
      roles,
    })
  }
  planned.push({
    kind: 'setAppRoles',
    ...about,
    destructive: changes.some(takesAway),
    changes,
    roles: [...foreign, ...wanted],
  })
  return planned
}

function roleChanges(present: readonly AppRole[], wanted: readonly AppRole[]): RoleChange[] {
  const removed = present.filter((role) => !has(wanted, role))
  return [
    ...wanted.flatMap((role): RoleChange[] => {
      const before = present.find(({ id }) => id === role.id)
      if (before === undefined) return [{ role: named(role), what: 'added', changes: [] }]
      const changes = properties.flatMap((property): PropertyChange[] =>
        equal(before[property], role[property])
          ? []
          : [{ property, from: before[property], to: role[property] }],
      )
      return changes.length === 0 ? [] : [{ role: named(before), what: 'changed', changes }]
    }),
    ...removed.map((role): RoleChange => ({ role: named(role), what: 'removed', changes: [] })),
  ]
}

const properties = [
  'value',
  'displayName',
  'description',
  'isEnabled',
  'allowedMemberTypes',
] as const

const named = ({ id, value }: AppRole) => ({ id, value: value ?? '' })
const has = (roles: readonly AppRole[], { id }: AppRole) => roles.some((role) => role.id === id)
const isForApplications = ({ allowedMemberTypes }: AppRole) =>
  allowedMemberTypes.includes('Application')

function mustBeDisabledFirst(role: AppRole, wanted: readonly AppRole[]): boolean {
  const after = wanted.find(({ id }) => id === role.id)
  return after === undefined || after.value !== role.value
}

const takesAway = ({ what, changes }: RoleChange) =>
  what === 'removed' ||
  changes.some(({ property, to }) => property === 'value' || (property === 'isEnabled' && !to))

const equal = (one: unknown, other: unknown) =>
  JSON.stringify(Array.isArray(one) ? one.toSorted() : one) ===
  JSON.stringify(Array.isArray(other) ? other.toSorted() : other)
