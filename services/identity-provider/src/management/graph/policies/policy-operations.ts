// Folder: The policies of a tenant, and their assignments to applications and service principals.

import {
  type DirectoryPolicy,
  defaultAppManagementPolicyId,
  isGuid,
  maxPolicies,
  type PolicyKind,
  put,
  type Runtime,
  shownProperties,
  type Tenant,
} from '@greeting/directory'
import { z } from 'zod'
import { parseBody } from '../../body/parse-body.ts'
import type { EntitySet, Expansions } from '../../odata/entity-set.ts'
import { listEntities } from '../../odata/list-entities.ts'
import { showCreated, showEntity } from '../../odata/show-entity.ts'
import {
  type Answer,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  type ListCall,
  operation,
  type RequestCall,
} from '../../operations/operation.ts'
import type { RequiredRoles } from '../../privileges/caller.ts'
import {
  readsAssignedPolicies,
  readsPolicies,
  writesPolicies,
} from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { directoryObjects } from '../directory-objects/entity-sets.ts'
import { partNamed } from '../directory-objects/find-object.ts'
import { referenceTo, withoutRepeated } from '../directory-objects/object-body.ts'
import {
  applicationRow,
  examineObjects,
  type ObjectKind,
  type ObjectRow,
  principalRow,
  stored,
} from '../directory-objects/object-operations.ts'
import { endsOfList } from '../directory-objects/object-type.ts'

/** A kind of policy in Microsoft Graph. */
export type PolicyRow = {
  readonly kind: PolicyKind
  /** The segment of the paths of its assignments. */
  readonly name: string
  /** With its article. */
  readonly one: string
  /** What a change of it does not do: a sentence. */
  readonly effect: string
  /** The text for the operator when the policy is assigned. */
  readonly warning?: string
  readonly set: EntitySet<DirectoryPolicy>
  readonly expansions?: Expansions<DirectoryPolicy>
  readonly assigns: RequiredRoles
  /** Where policies of this kind can be assigned. */
  readonly objects: readonly ObjectKind[]
  /** The state after a body. `before` is a new policy without content, when `isNew`. */
  readonly after: (
    before: DirectoryPolicy,
    body: unknown,
    isNew: boolean,
    runtime: Runtime,
  ) => DirectoryPolicy
}

/** Creates the entity set of one kind of policy, with a name and the properties that only this kind has. */
export const policySet = (
  name: string,
  type: string,
  more: Parameters<typeof shownProperties<DirectoryPolicy, unknown>>[0] = {},
): EntitySet<DirectoryPolicy> => ({
  name,
  type,
  keyOf: ({ id }) => id,
  properties: shownProperties<DirectoryPolicy, unknown>({
    id: { filter: 'value' },
    deletedDateTime: { fixed: null, type: 'Edm.DateTimeOffset' },
    description: {},
    displayName: { filter: 'value' },
    ...more,
  }),
})

/** A body without what it repeats of a policy: scripts write back what they read (entra E379). */
export const withoutOwn = (body: unknown, { id }: DirectoryPolicy): unknown =>
  withoutRepeated(body, { id, deletedDateTime: null })

/** The operations on the policies of one kind, and on their assignments. */
export const policyOperations = (row: PolicyRow): readonly DirectoryOperation[] => [
  operation(`GET /${row.set.name}`, readsPolicies, {
    summary: `Lists the ${row.name} of the tenant.`,
    ends: endsOfList(),
    read: (call) => listEntities(call, row.set, policiesOf(call, row)),
  }),
  operation(`POST /${row.set.name}`, writesPolicies, {
    summary: `Creates ${row.one}.`,
    action: 'policy.create',
    change: (call) => create(call, row),
  }),
  operation(`GET /${row.set.name}/{policy}`, readsPolicies, {
    summary: `Shows ${row.one}.`,
    read: (call) => showEntity(call, row.set, findPolicy(call, row), row.expansions),
  }),
  operation(`PATCH /${row.set.name}/{policy}`, writesPolicies, {
    summary: `Changes ${row.one}. ${row.effect}`,
    action: 'policy.update',
    change: (call) => {
      const before = findPolicy(call, row)
      const after = row.after(before, withoutOwn(call.body, before), false, call.runtime)
      return changed(call, after.id, (all) => all.map((one) => (one === before ? after : one)))
    },
  }),
  operation(`DELETE /${row.set.name}/{policy}`, writesPolicies, {
    summary: `Deletes ${row.one}. ${row.objects.length > 0 ? 'Its assignments have no effect any more.' : 'Policies that name it trust none of its authorities any more.'}`,
    action: 'policy.delete',
    change: (call) => {
      const { id } = findPolicy(call, row)
      return changed(call, id, (all) => all.filter((one) => one.id !== id))
    },
  }),
  ...row.objects.flatMap((kind) =>
    kind === 'application'
      ? assignmentOperations(row, applicationRow)
      : assignmentOperations(row, principalRow),
  ),
  ...(row.objects.length === 0 ? [] : [appliesToOperation(row)]),
]

const appliesToOperation = (row: PolicyRow): DirectoryOperation =>
  operation(`GET /${row.set.name}/{policy}/appliesTo`, readsPolicies, {
    summary: `Lists the objects to which ${row.one} is assigned.`,
    list: (call) => appliesTo(call, row),
  })

const assignmentOperations = <Kind extends ObjectKind>(
  row: PolicyRow,
  { find, kind, one, set }: ObjectRow<Kind>,
): DirectoryOperation[] => [
  operation(`GET /${set.name}/{id}/${row.name}`, readsAssignedPolicies, {
    ends: endsOfList(),
    summary: `Lists the ${row.name} of ${one}.`,
    read: (call) => {
      const { policyIds } = find(call)
      const assigned = policiesOf(call, row).filter(({ id }) => policyIds.includes(id))
      return listEntities(call, row.set, assigned)
    },
  }),
  operation(`POST /${set.name}/{id}/${row.name}`, row.assigns, {
    // The beta version has the path without it.
    ends: ['/$ref'],
    summary: `Assigns ${row.one} to ${one}.`,
    action: `${kind}.addPolicy`,
    change: (call) => {
      const object = find(call)
      const { '@odata.id': id } = parseBody(referenceBody(row), call.body)
      const known = policiesOf(call, row)
      if (!known.some((one) => one.id === id)) throw refuse('resource_unknown', id)
      // Only the IDs of policies of the tenant stay: a deleted one must not fill the place of another.
      const ids = new Set(call.caller.tenant.policies.map((one) => one.id))
      const kept = object.policyIds.filter((one) => ids.has(one))
      if (kept.includes(id)) throw refuse('reference_taken', row.name)
      if (known.some((one) => kept.includes(one.id))) throw refuse('policy_taken')
      return {
        ...stored(kind, { ...object, policyIds: [...kept, id] }),
        warning: row.warning ? { fields: { id: object.id }, message: row.warning } : undefined,
      }
    },
  }),
  operation(`DELETE /${set.name}/{id}/${row.name}/{policy}/$ref`, row.assigns, {
    summary: `Ends the assignment of ${row.one} to ${one}.`,
    action: `${kind}.removePolicy`,
    change: (call) => {
      const object = find(call)
      const { id } = findPolicy(call, row)
      if (!object.policyIds.includes(id)) throw refuse('resource_unknown', id)
      return stored(kind, { ...object, policyIds: object.policyIds.filter((one) => one !== id) })
    },
  }),
]

const referenceBody = ({ name }: PolicyRow) =>
  z.strictObject({ '@odata.id': referenceTo(name.toLowerCase()) })

const policiesOf = ({ caller }: RequestCall, row: PolicyRow): DirectoryPolicy[] =>
  caller.tenant.policies.filter(
    ({ id, kind }) => kind === row.kind && id !== defaultAppManagementPolicyId,
  )

export function findPolicy(call: RequestCall, row: PolicyRow): DirectoryPolicy {
  const { policy: id = '' } = call.parameters
  if (!isGuid(id)) throw refuse('identifier_invalid', id)
  return partNamed(policiesOf(call, row), id)
}

/** Each has up to ten certificates. Entra permits 100. */
const maxAuthorityLists = 10

/** Creates the change to a policy of the caller's tenant. */
export function changed(
  { caller }: ChangingCall,
  target: string,
  change: (all: Tenant['policies']) => Tenant['policies'],
  answer: Answer = { status: 204 },
): Change {
  const policies = change(caller.tenant.policies)
  const lists = policies.filter(({ kind }) => kind === 'trustedAuthorities')
  for (const [all, most, what] of [
    [policies, maxPolicies, 'policies'],
    [lists, maxAuthorityLists, 'lists of authorities'],
  ] as const)
    if (all.length > most)
      throw refuse('body_invalid', `A tenant must not have more than ${most} ${what}.`)
  // Only one of each kind can be the default of the tenant (entra E250).
  const defaults = policies.flatMap((one) => (one.isOrganizationDefault ? one.kind : []))
  if (new Set(defaults).size < defaults.length) throw refuse('policy_taken')
  return { changes: [put('tenant', { ...caller.tenant, policies })], target, answer }
}

function create(call: ChangingCall, row: PolicyRow): Change {
  const empty: DirectoryPolicy = {
    id: call.runtime.newGuid(),
    kind: row.kind,
    displayName: '',
    description: null,
    definition: {},
    isEnabled: false,
    isOrganizationDefault: false,
  }
  const policy = row.after(empty, call.body, true, call.runtime)
  return changed(call, policy.id, (all) => [...all, policy], showCreated(call, row.set, policy))
}

async function appliesTo(call: ListCall, row: PolicyRow): Promise<Answer> {
  const { id } = findPolicy(call, row)
  const found = await examineObjects(call, row.objects, (one) =>
    one.policyIds.includes(id) ? [one] : [],
  )
  return call.read((directory) => listEntities({ ...call, directory }, directoryObjects, found))
}
