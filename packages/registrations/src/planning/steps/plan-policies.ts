import { type DirectoryPolicy, defaultAppManagementPolicyId } from '@greeting/directory'
import { appManagementRows } from '@greeting/directory/forms'
import type { PoliciesEntry } from '../../registrations-file.ts'
import type { KnownPolicies } from '../directory/directory-state.ts'
import type { Located } from '../directory/locate.ts'
import type { Change, RegistrationStep } from './change.ts'

/** The kinds of policies that a file describes: their list in file and Graph, and the member of an entry. */
export const policyKinds = {
  appManagement: {
    kind: 'appManagement',
    list: 'appManagementPolicies',
    member: 'appManagementPolicy',
  },
  tokenLifetime: {
    kind: 'tokenLifetime',
    list: 'tokenLifetimePolicies',
    member: 'tokenLifetimePolicy',
  },
} as const

const kinds = ['appManagement', 'tokenLifetime'] as const

/** A policy of a kind that a file describes. */
export type FilePolicy = DirectoryPolicy & { readonly kind: keyof typeof policyKinds }

type Json = DirectoryPolicy['definition']
type Rules = { readonly [member: string]: Json }

/** The policies of a file in the form of the directory. The name of a policy stands for its ID. */
export function filePolicies(entry: PoliciesEntry = {}): {
  readonly policies: readonly FilePolicy[]
  /** The broken rules of their restrictions. */
  readonly faults: readonly string[]
} {
  const faults: string[] = []
  const checked = (
    policy: string,
    row: keyof typeof appManagementRows,
    value: object = {},
  ): Rules => {
    const { data, error } = appManagementRows[row].body.safeParse(value)
    for (const { path, message } of error?.issues ?? [])
      faults.push(`The policy "${policy}" is invalid at ${[row, ...path].join('.')}: ${message}.`)
    const members = Object.entries(data ?? {}).filter(([member]) => member in value)
    return Object.fromEntries(members) as Rules
  }
  const { defaultAppManagementPolicy: standard } = entry
  const base = { kind: 'appManagement', isEnabled: true, isOrganizationDefault: false } as const
  const policies: FilePolicy[] = []
  if (standard) {
    const { isEnabled, ...rows } = standard
    const displayName = 'default app management policy'
    const definition = Object.fromEntries(
      Object.entries(rows).map(([row, value]) => [
        row,
        checked(displayName, row as keyof typeof rows, value),
      ]),
    )
    const id = defaultAppManagementPolicyId
    const whole = { ...base, id, displayName, description: null, isOrganizationDefault: true }
    policies.push({ ...whole, isEnabled, definition })
  }
  for (const { restrictions, ...policy } of entry.appManagementPolicies ?? []) {
    const definition = checked(policy.displayName, 'restrictions', restrictions)
    policies.push({ ...base, ...policy, id: policy.displayName, definition })
  }
  for (const { accessTokenLifetime, ...policy } of entry.tokenLifetimePolicies ?? []) {
    const rules = { Version: 1, AccessTokenLifetime: accessTokenLifetime }
    const definition = [JSON.stringify({ TokenLifetimePolicy: rules })]
    policies.push({ ...base, ...policy, kind: 'tokenLifetime', id: policy.displayName, definition })
  }
  return { policies, faults }
}

/** The lifetime of access tokens that a policy sets. */
const accessTokenLifetime = ({ definition }: DirectoryPolicy): string | undefined =>
  /"AccessTokenLifetime"\s*:\s*"([\d.:]+)"/.exec(String(definition))?.[1]

const isSame = (one: DirectoryPolicy, other: DirectoryPolicy) =>
  one.kind === other.kind &&
  (one.id === other.id ||
    (one.displayName === other.displayName && other.id !== defaultAppManagementPolicyId))

/** Whether a present value has all that is wanted. Null, false and an empty list are the same as nothing. */
function isMet(wanted: Json | undefined, present: Json | undefined): boolean {
  if (Array.isArray(wanted)) {
    const list: readonly Json[] = Array.isArray(present) ? present : []
    return (
      list.length === wanted.length &&
      wanted.every((one) => list.some((other) => isMet(one, other)))
    )
  }
  if (wanted && typeof wanted === 'object')
    return Object.entries(wanted).every(([name, value]) => isMet(value, Object(present)[name]))
  return (wanted || null) === (present || null)
}

const comparable = (policy: DirectoryPolicy): Json => ({
  isEnabled: policy.isEnabled,
  isOrganizationDefault: policy.isOrganizationDefault,
  definition:
    policy.kind === 'tokenLifetime' ? (accessTokenLifetime(policy) ?? null) : policy.definition,
  ...(policy.id !== defaultAppManagementPolicyId && { description: policy.description }),
})

/** A policy of the file with the ID of the present one, and with the restrictions that the file does not manage. */
function merged(policy: FilePolicy, present: DirectoryPolicy | undefined): FilePolicy {
  if (present === undefined || policy.kind !== 'appManagement')
    return { ...policy, ...idOf(present) }
  const before = present.definition as Rules
  const after = policy.definition as Rules
  const isDefault = policy.id === defaultAppManagementPolicyId
  const definition = isDefault
    ? Object.fromEntries(
        Object.entries({ ...before, ...after }).map(([row, rules]) => [
          row,
          { ...Object(before[row]), ...Object(rules) },
        ]),
      )
    : { ...before, ...after }
  return { ...policy, ...idOf(present), definition }
}

const idOf = (present: DirectoryPolicy | undefined) => (present ? { id: present.id } : {})

/** The policies after the file is applied: those of the file, then those that it does not manage. */
export function policiesAfter(
  wanted: readonly FilePolicy[],
  entry: PoliciesEntry = {},
  { all }: Pick<KnownPolicies, 'all'>,
): DirectoryPolicy[] {
  const isManaged = ({ kind, id }: DirectoryPolicy) =>
    id !== defaultAppManagementPolicyId &&
    kinds.some((each) => each === kind && entry[policyKinds[each].list] !== undefined)
  return [
    ...wanted.map((policy) =>
      merged(
        policy,
        all.find((one) => isSame(one, policy)),
      ),
    ),
    ...all.filter((one) => !isManaged(one) && !wanted.some((policy) => isSame(one, policy))),
  ]
}

/** The policies of the tenant. They come first, so that they apply to what the same file creates. */
export function planPolicies(
  wanted: readonly FilePolicy[],
  after: readonly DirectoryPolicy[],
  { all }: Pick<KnownPolicies, 'all'>,
): Change[] {
  const about = { step: 'Policies' } as const
  return [
    ...wanted.flatMap((policy, index): Change[] => {
      const present = all.find((one) => isSame(one, policy))
      if (present && isMet(comparable(policy), comparable(present))) return []
      const to = after[index] ?? policy
      const destructive = present !== undefined
      const { displayName: application } = policy
      return [
        { kind: 'setPolicy', ...about, application, destructive, policy: to, isNew: !present },
      ]
    }),
    ...all.flatMap((policy): Change[] => {
      if (after.some(({ id }) => id === policy.id)) return []
      const { displayName: application } = policy
      return [{ kind: 'deletePolicy', ...about, application, destructive: true, policy }]
    }),
  ]
}

/** The members of an entry that name policies. */
type PolicyNames = Readonly<
  Partial<Record<(typeof policyKinds)[FilePolicy['kind']]['member'], string | null | undefined>>
>

/** The IDs of the policies that an entry names. */
export const assignedPolicyIds = (policies: readonly DirectoryPolicy[], entry: PolicyNames) =>
  policies.flatMap(({ id, kind, displayName }) =>
    kind !== 'claimsMapping' && entry[policyKinds[kind].member] === displayName ? [id] : [],
  )

/** Assigns to an application the policies that its entry names. */
export function planAssignments(
  step: RegistrationStep,
  { name, application }: Located,
  entry: PolicyNames,
  after: readonly DirectoryPolicy[],
  { all, assigned }: KnownPolicies,
): Change[] {
  return kinds.flatMap((kind): Change[] => {
    const wanted = entry[policyKinds[kind].member]
    if (wanted === undefined) return []
    const ids = assigned.get(application?.id ?? '') ?? []
    const from = all.find((one) => one.kind === kind && ids.includes(one.id))
    const to = after.find((one) => one.kind === kind && one.displayName === wanted)
    if (from?.id === to?.id) return []
    const destructive = from !== undefined
    return [
      { kind: 'assignPolicy', step, application: name, destructive, policyKind: kind, from, to },
    ]
  })
}

/** The kind and the name of a policy. */
export function policyText({ id, kind, displayName }: DirectoryPolicy): string {
  if (id === defaultAppManagementPolicyId) return displayName
  return `${kind === 'tokenLifetime' ? 'token lifetime' : 'app management'} policy "${displayName}"`
}

/** The rules of a policy that are enabled, in words. */
export function rulesText(policy: DirectoryPolicy): string {
  if (!policy.isEnabled) return 'disabled'
  const rulesIn = (value: Json, name = ''): string[] => {
    if (value === null || typeof value !== 'object') return []
    const { state, restrictionType = name, maxLifetime } = value as Record<string, Json>
    if (state === 'enabled')
      return [maxLifetime ? `${restrictionType} ${maxLifetime}` : `${restrictionType}`]
    return Object.entries(value).flatMap(([member, one]) => rulesIn(one, member))
  }
  const rules = accessTokenLifetime(policy) ?? [...new Set(rulesIn(policy.definition))].join(', ')
  return `${rules || 'no restriction'}${policy.isOrganizationDefault && policy.kind === 'tokenLifetime' ? ', for all APIs' : ''}`
}

/** The restrictions that a policy has, without what Microsoft Graph adds. */
const plain = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(plain)
    : value && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, one]) =>
            one === null || name.includes('@') ? [] : [[name, plain(one)]],
          ),
        )
      : value

/** The policies of a tenant as a file describes them. The untouched default policy is absent. */
export function exportedPolicies(all: readonly DirectoryPolicy[]): object {
  const named = all.filter(({ id }) => id !== defaultAppManagementPolicyId)
  const describe = ({ displayName, description }: DirectoryPolicy) => ({
    displayName,
    ...(description && { description }),
  })
  const standard = all.find(({ id }) => id === defaultAppManagementPolicyId)
  const appManagement = named.filter(({ kind }) => kind === 'appManagement')
  const tokenLifetime = named.filter(({ kind }) => kind === 'tokenLifetime')
  return {
    ...(standard?.isEnabled && {
      defaultAppManagementPolicy: { isEnabled: true, ...Object(plain(standard.definition)) },
    }),
    ...(appManagement.length > 0 && {
      appManagementPolicies: appManagement.map((one) => {
        const { isEnabled, definition } = one
        return { ...describe(one), isEnabled, restrictions: plain(definition) }
      }),
    }),
    ...(tokenLifetime.length > 0 && {
      tokenLifetimePolicies: tokenLifetime.map((one) => {
        const { isOrganizationDefault } = one
        const time = accessTokenLifetime(one)
        return { ...describe(one), accessTokenLifetime: time, isOrganizationDefault }
      }),
    }),
  }
}

/** The members of an entry that name the policies of an application. */
export const assignedPolicyNames = (known: KnownPolicies | undefined, objectId: string): object =>
  Object.fromEntries(
    (known?.all ?? []).flatMap(({ id, kind, displayName }) =>
      kind !== 'claimsMapping' && known?.assigned.get(objectId)?.includes(id)
        ? [[policyKinds[kind].member, displayName]]
        : [],
    ),
  )
