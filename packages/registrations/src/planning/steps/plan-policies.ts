import { type DirectoryPolicy, defaultAppManagementPolicyId } from '@greeting/directory'
import {
  type FilePolicy,
  fileKinds,
  type PoliciesEntry,
  policyKinds,
} from '../../policy-entries.ts'
import type { KnownPolicies } from '../directory/directory-state.ts'
import type { Located } from '../directory/locate.ts'
import type { Change, RegistrationStep } from './change.ts'

type Json = DirectoryPolicy['definition']

const isDefault = ({ id }: DirectoryPolicy) => id === defaultAppManagementPolicyId
const isObject = (value: Json | undefined): value is { readonly [member: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The policies that a file describes. */
export const filePolicies = (entry: PoliciesEntry = {}): FilePolicy[] => [
  ...(entry.defaultAppManagementPolicy ? [entry.defaultAppManagementPolicy] : []),
  ...fileKinds.flatMap((kind) => entry[policyKinds[kind].list] ?? []),
]

const isNothing = (value: Json) =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0)

/** A value without order, and without what means nothing: null, false, empty ones, and annotations of OData. */
export function plainJson(value: Json): Json {
  if (Array.isArray(value))
    return value.map(plainJson).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, plainJson(member)] as const)
      .filter(([name, member]) => !name.includes('@') && !isNothing(member))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** The rules of the directory with those of the file, which does not manage what it omits. */
const merged = (present: Json | undefined, wanted: Json): Json =>
  isObject(present) && isObject(wanted)
    ? {
        ...present,
        ...Object.fromEntries(
          Object.entries(wanted).map(([name, one]) => [name, merged(present[name], one)]),
        ),
      }
    : wanted

/** The policies after the file is applied. A new one has its name in place of an ID. */
export function policiesAfter(
  entry: PoliciesEntry = {},
  present: readonly DirectoryPolicy[],
): DirectoryPolicy[] {
  const isManaged = (policy: DirectoryPolicy) =>
    !isDefault(policy) &&
    fileKinds.some((kind) => kind === policy.kind && entry[policyKinds[kind].list] !== undefined)
  const wanted = filePolicies(entry).map((policy): DirectoryPolicy => {
    const same = present.find(
      (one) =>
        one.kind === policy.kind &&
        (isDefault(policy)
          ? isDefault(one)
          : !isDefault(one) && one.displayName === policy.displayName),
    )
    const { id, definition } = same ?? policy
    return { ...policy, id, definition: merged(definition, policy.definition) }
  })
  const kept = present.filter((one) => !isManaged(one) && !wanted.some(({ id }) => id === one.id))
  return [...wanted, ...kept]
}

/** The lifetime of access tokens that a policy sets. */
const accessTokenLifetime = ({ definition }: DirectoryPolicy): string | undefined =>
  /"AccessTokenLifetime"\s*:\s*"([\d.:]+)"/.exec(String(definition))?.[1]

const comparable = (policy: DirectoryPolicy): string => {
  const definition = accessTokenLifetime(policy) ?? policy.definition
  return JSON.stringify(plainJson({ ...policy, definition }))
}

/** The policies of the tenant. They come first, so that they apply to what the same file creates. */
export function planPolicies(
  after: readonly DirectoryPolicy[],
  present: readonly DirectoryPolicy[],
): Change[] {
  const about = ({ displayName: application }: DirectoryPolicy) =>
    ({ step: 'Policies', application }) as const
  return [
    ...after.flatMap((policy): Change[] => {
      const same = present.find(({ id }) => id === policy.id)
      if (same && comparable(same) === comparable(policy)) return []
      const isNew = same === undefined
      return [{ kind: 'setPolicy', ...about(policy), destructive: !isNew, policy, isNew }]
    }),
    ...present.flatMap((policy): Change[] => {
      if (after.some(({ id }) => id === policy.id)) return []
      return [{ kind: 'deletePolicy', ...about(policy), destructive: true, policy }]
    }),
  ]
}

/** The members of an entry that name policies. */
export type PolicyNames = Readonly<
  Partial<Record<(typeof policyKinds)[FilePolicy['kind']]['member'], string | null | undefined>>
>

/** The policies of an application: those that its entry names, and for other kinds those that it has. */
export const assignedPolicies = (
  policies: readonly DirectoryPolicy[],
  entry: PolicyNames | undefined,
  presentIds: readonly string[] = [],
): DirectoryPolicy[] =>
  policies.filter((policy) => {
    const { id, kind, displayName } = policy
    const name = kind === 'claimsMapping' ? undefined : entry?.[policyKinds[kind].member]
    return name === undefined ? presentIds.includes(id) : name === displayName && !isDefault(policy)
  })

/** Assigns to an application the policies that its entry names. */
export function planAssignments(
  step: RegistrationStep,
  { name, application }: Located,
  entry: PolicyNames,
  after: readonly DirectoryPolicy[],
  { all, assigned }: KnownPolicies,
): Change[] {
  const ids = assigned.get(application?.id ?? '')
  const before = assignedPolicies(all, {}, ids)
  const wanted = assignedPolicies(after, entry, ids)
  return fileKinds.flatMap((policyKind): Change[] => {
    const from = before.find(({ kind }) => kind === policyKind)
    const to = wanted.find(({ kind }) => kind === policyKind)
    if (from?.id === to?.id) return []
    const destructive = from !== undefined
    return [{ kind: 'assignPolicy', step, application: name, destructive, policyKind, from, to }]
  })
}

/** Names of policies that neither the file nor the directory has. */
export const unknownPolicies = (
  entries: readonly PolicyNames[],
  policies: readonly DirectoryPolicy[],
): string[] =>
  entries.flatMap((entry) =>
    fileKinds.flatMap((kind) => {
      const name = entry[policyKinds[kind].member]
      return !name || assignedPolicies(policies, entry).some((one) => one.kind === kind)
        ? []
        : `The policy "${name}" is not in the file and not in the tenant.`
    }),
  )

/** The kind and the name of a policy. */
export function policyText(policy: DirectoryPolicy): string {
  const { kind, displayName } = policy
  if (isDefault(policy)) return displayName
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

/** The policies of a tenant as a file describes them. The untouched default policy is absent. */
export function exportedPolicies(all: readonly DirectoryPolicy[]): object {
  const entryOf = (policy: DirectoryPolicy) => {
    const { displayName, description, isEnabled, isOrganizationDefault } = policy
    const restrictions = plainJson(policy.definition)
    if (isDefault(policy)) return { isEnabled, ...Object(restrictions) }
    const rules =
      policy.kind === 'tokenLifetime'
        ? { accessTokenLifetime: accessTokenLifetime(policy), isOrganizationDefault }
        : { isEnabled, restrictions }
    return { displayName, ...(description && { description }), ...rules }
  }
  const standard = all.find(isDefault)
  const isTouched =
    standard && (standard.isEnabled || Object.keys(Object(standard.definition)).length > 0)
  return {
    ...(isTouched && { defaultAppManagementPolicy: entryOf(standard) }),
    ...Object.fromEntries(
      fileKinds.flatMap((kind) => {
        const some = all.filter((one) => one.kind === kind && !isDefault(one))
        return some.length > 0 ? [[policyKinds[kind].list, some.map(entryOf)]] : []
      }),
    ),
  }
}

/** The members of an entry that name the policies of an application. */
export const assignedPolicyNames = (known: KnownPolicies | undefined, objectId: string): object =>
  Object.fromEntries(
    assignedPolicies(known?.all ?? [], {}, known?.assigned.get(objectId)).flatMap((one) =>
      one.kind === 'claimsMapping' ? [] : [[policyKinds[one.kind].member, one.displayName]],
    ),
  )
