import { defaultAppManagementPolicyId } from '@greeting/directory'
import {
  fileKinds,
  type PoliciesEntry,
  type Policy,
  type PolicyNames,
  policyKinds,
} from '../../policy-entries.ts'
import type { Located } from '../directory/locate.ts'
import type { Change, RegistrationStep } from './change.ts'

type Json = Policy['definition']

/** Whether it is the default app management policy, which is neither assigned nor deleted. */
export const isDefault = ({ id }: Policy) => id === defaultAppManagementPolicyId
const isObject = (value: Json | undefined): value is { readonly [member: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The policies that a file describes. */
export const filePolicies = (entry: PoliciesEntry = {}): Policy[] => [
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
export function policiesAfter(entry: PoliciesEntry = {}, present: readonly Policy[]): Policy[] {
  const isSame = (one: Policy, other: Policy) =>
    one.kind === other.kind &&
    one.displayName === other.displayName &&
    isDefault(one) === isDefault(other)
  const wanted = filePolicies(entry).map((policy): Policy => {
    const { id, appliesTo, definition } = present.find((one) => isSame(one, policy)) ?? policy
    return { ...policy, id, appliesTo, definition: merged(definition, policy.definition) }
  })
  const isKept = (policy: Policy) =>
    (isDefault(policy) || entry[policyKinds[policy.kind].list] === undefined) &&
    !wanted.some(({ id }) => id === policy.id)
  return [...wanted, ...present.filter(isKept)]
}

/** The lifetime of access tokens that a policy sets. */
const accessTokenLifetime = ({ definition }: Policy): string | undefined =>
  /"AccessTokenLifetime"\s*:\s*"([\d.:]+)"/.exec(String(definition))?.[1]

const comparable = (policy: Policy): string => {
  const definition = accessTokenLifetime(policy) ?? policy.definition
  return JSON.stringify(plainJson({ ...policy, definition }))
}

/** The policies of the tenant. They come first, so that they apply to what the same file creates. */
export function planPolicies(after: readonly Policy[], present: readonly Policy[]): Change[] {
  const about = (policy: Policy) =>
    ({ step: 'Policies', application: policy.displayName, policy }) as const
  return [
    ...after.flatMap((policy): Change[] => {
      const same = present.find(({ id }) => id === policy.id)
      if (same && comparable(same) === comparable(policy)) return []
      const isNew = same === undefined
      return [{ kind: 'setPolicy', ...about(policy), destructive: !isNew, isNew }]
    }),
    ...present.flatMap((policy): Change[] => {
      if (after.some(({ id }) => id === policy.id)) return []
      return [{ kind: 'deletePolicy', ...about(policy), destructive: true }]
    }),
  ]
}

/** The policies of an application: those that its entry names, and for other kinds those that it has. */
export const assignedPolicies = (
  policies: readonly Policy[],
  entry: PolicyNames = {},
  objectId = '',
): Policy[] =>
  policies.filter((policy) => {
    const name = entry[policyKinds[policy.kind].member]
    if (name === undefined) return policy.appliesTo.includes(objectId)
    return name === policy.displayName && !isDefault(policy)
  })

/** Assigns to an application the policies that its entry names. */
export function planAssignments(
  step: RegistrationStep,
  { name, application }: Located,
  entry: PolicyNames,
  after: readonly Policy[],
  present: readonly Policy[],
): Change[] {
  const had = assignedPolicies(present, {}, application?.id)
  const wanted = assignedPolicies(after, entry, application?.id)
  return fileKinds.flatMap((policyKind): Change[] => {
    const from = had.find(({ kind }) => kind === policyKind)
    const to = wanted.find(({ kind }) => kind === policyKind)
    if (from?.id === to?.id) return []
    const destructive = from !== undefined
    return [{ kind: 'assignPolicy', step, application: name, destructive, policyKind, from, to }]
  })
}

/** Names of policies that neither the file nor the directory has. */
export const unknownPolicies = (
  entries: readonly PolicyNames[],
  policies: readonly Policy[],
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
export function policyText(policy: Policy): string {
  const { kind, displayName } = policy
  if (isDefault(policy)) return displayName
  return `${kind === 'tokenLifetime' ? 'token lifetime' : 'app management'} policy "${displayName}"`
}

/** The rules of a policy that are enabled, in words. */
export function rulesText(policy: Policy): string {
  if (!policy.isEnabled) return 'disabled'
  const rulesIn = (value: Json, name = ''): string[] => {
    if (value === null || typeof value !== 'object') return []
    const { state, restrictionType = name, maxLifetime } = value as Record<string, Json>
    if (state === 'enabled')
      return [maxLifetime ? `${restrictionType} ${maxLifetime}` : `${restrictionType}`]
    return Object.entries(value).flatMap(([member, one]) => rulesIn(one, member))
  }
  const lifetime = accessTokenLifetime(policy)
  if (lifetime) return policy.isOrganizationDefault ? `${lifetime}, for all APIs` : lifetime
  return [...new Set(rulesIn(policy.definition))].join(', ') || 'no restriction'
}

/** The policies of a tenant as a file describes them. The untouched default policy is absent. */
export function exportedPolicies(all: readonly Policy[]): object {
  const entryOf = (policy: Policy) => {
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
export const assignedPolicyNames = (policies: readonly Policy[], objectId: string): PolicyNames =>
  Object.fromEntries(
    assignedPolicies(policies, {}, objectId).map(({ kind, displayName }) => [
      policyKinds[kind].member,
      displayName,
    ]),
  )
