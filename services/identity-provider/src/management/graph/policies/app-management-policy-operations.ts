import {
  type DirectoryPolicy,
  defaultAppManagementPolicyId,
  formsOf,
  initialAppManagementPolicy,
  shownProperties,
} from '@greeting/directory'
import { appManagementRows, initialRestrictions, name, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { showEntity } from '../../odata/show-entity.ts'
import { type DirectoryOperation, operation, type RequestCall } from '../../operations/operation.ts'
import { assignsManagement, readsPolicies, writesPolicies } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { changed, policyOperations, withoutOwn } from './policy-operations.ts'

const named = { displayName: {}, description: {}, isEnabled: { type: 'Edm.Boolean' } } as const

/** How answers show restrictions: the whole definition, or those for one kind of objects in it. */
const shown = (name: keyof typeof appManagementRows) => ({
  type: appManagementRows[name].type,
  show: ({ definition }: DirectoryPolicy) => ({
    passwordCredentials: [],
    keyCredentials: [],
    ...(name === 'applicationRestrictions' ? initialRestrictions : {}),
    ...(name === 'restrictions' ? Object(definition) : Object(definition)[name]),
  }),
})

/** Microsoft Graph's entity set of app management policies that are assigned to objects. */
export const appManagementPolicies: EntitySet<DirectoryPolicy> = {
  name: 'policies/appManagementPolicies',
  type: 'appManagementPolicy',
  keyOf: ({ id }) => id,
  properties: shownProperties<DirectoryPolicy, unknown>({
    id: { filter: 'value' },
    ...named,
    restrictions: shown('restrictions'),
  }),
}

/** The app management policy of all objects to which no other is assigned. */
export const defaultPolicy: EntitySet<DirectoryPolicy> = {
  name: 'policies/defaultAppManagementPolicy',
  type: 'tenantAppManagementPolicy',
  keyOf: ({ id }) => id,
  properties: shownProperties<DirectoryPolicy, unknown>({
    id: {},
    ...named,
    applicationRestrictions: shown('applicationRestrictions'),
    servicePrincipalRestrictions: shown('servicePrincipalRestrictions'),
  }),
}

const properties = {
  displayName: name(),
  description: text(1024).nullable(),
  isEnabled: z.boolean(),
}
const { restrictions, ...ofDefault } = formsOf(appManagementRows)
const patch = z.strictObject({ ...properties, restrictions }).partial()
const defaultPatch = z.strictObject({ ...properties, ...ofDefault }).partial()

/** The restrictions that a body lacks stay. */
const merged = (before: unknown, given: object = {}) =>
  ({ ...Object(before), ...given }) as DirectoryPolicy['definition']

const defaultOf = ({ caller }: RequestCall): DirectoryPolicy =>
  caller.tenant.policies.find(({ id }) => id === defaultAppManagementPolicyId) ??
  initialAppManagementPolicy

/** The operations on app management policies, which restrict the credentials of applications and service principals. */
export const appManagementPolicyOperations: readonly DirectoryOperation[] = [
  operation('GET /policies/defaultAppManagementPolicy', readsPolicies, {
    summary: 'Shows the app management policy of all objects without an assigned one.',
    read: (call) => showEntity(call, defaultPolicy, defaultOf(call)),
  }),
  operation('PATCH /policies/defaultAppManagementPolicy', writesPolicies, {
    summary: 'Changes the default app management policy. Credentials that exist stay.',
    action: 'policy.update',
    change: (call) => {
      const before = defaultOf(call)
      const body = withoutOwn(call.body, before)
      const { displayName, description, isEnabled, ...given } = parseBody(defaultPatch, body)
      const rest = { displayName, description, isEnabled }
      const names = ['applicationRestrictions', 'servicePrincipalRestrictions'] as const
      const definition = Object.fromEntries(
        names.map((name) => [name, merged(Object(before.definition)[name], given[name])]),
      )
      const after: DirectoryPolicy = { ...before, ...omitUndefined(rest), definition }
      return changed(call, after.id, (all) => [...all.filter(({ id }) => id !== after.id), after])
    },
  }),
  ...policyOperations({
    kind: 'appManagement',
    name: 'appManagementPolicies',
    one: 'an app management policy',
    effect: 'Credentials that exist stay.',
    set: appManagementPolicies,
    assigns: assignsManagement,
    objects: ['application', 'servicePrincipal'],
    after: (before, body, isNew) => {
      const { restrictions, ...rest } = parseBody(patch, body)
      if (isNew && (rest.displayName === undefined || restrictions === undefined))
        throw refuse('body_invalid', "Properties 'displayName' and 'restrictions' are required.")
      const definition = merged(before.definition, restrictions)
      return { ...before, ...omitUndefined(rest), definition }
    },
  }),
]
