import {
  type DirectoryPolicy,
  defaultAppManagementPolicyId,
  shownProperties,
} from '@greeting/directory'
import { appManagementRows, name, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../../body/parse-body.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { showEntity } from '../../odata/show-entity.ts'
import type { DirectoryOperation, RequestCall } from '../../operations/operation.ts'
import { assignsManagement, readsPolicies, writesPolicies } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'
import { changed, policyOperations } from './policy-operations.ts'

const named = { displayName: {}, description: {}, isEnabled: { type: 'Edm.Boolean' } } as const
const noRestrictions = { passwordCredentials: [], keyCredentials: [] }

/** The app management policies that are assigned to objects. */
export const appManagementPolicies: EntitySet<DirectoryPolicy> = {
  name: 'policies/appManagementPolicies',
  type: 'appManagementPolicy',
  keyOf: ({ id }) => id,
  properties: shownProperties<DirectoryPolicy, unknown>({
    id: { filter: 'value' },
    ...named,
    restrictions: {
      type: appManagementRows.restrictions.type,
      show: ({ definition }) => ({ ...noRestrictions, ...Object(definition) }),
    },
  }),
}

const sides = ['applicationRestrictions', 'servicePrincipalRestrictions'] as const

/** The app management policy of all objects without an assigned one. */
export const defaultPolicy: EntitySet<DirectoryPolicy> = {
  name: 'policies/defaultAppManagementPolicy',
  type: 'tenantAppManagementPolicy',
  keyOf: ({ id }) => id,
  properties: shownProperties<DirectoryPolicy, unknown>({
    id: {},
    ...named,
    ...Object.fromEntries(
      sides.map((side) => [
        side,
        {
          type: appManagementRows[side].type,
          show: ({ definition }: DirectoryPolicy) => ({
            ...noRestrictions,
            ...Object(definition)[side],
          }),
        },
      ]),
    ),
  }),
}

/** The policy of a tenant that never changed it (entra E220). */
const untouched: DirectoryPolicy = {
  id: defaultAppManagementPolicyId,
  kind: 'appManagement',
  displayName: 'Default app management tenant policy',
  description:
    'Default tenant policy that enforces app management restrictions on applications and service principals. To apply policy to targeted resources, create a new policy under appManagementPolicies collection.',
  definition: {},
  isEnabled: false,
  isOrganizationDefault: true,
}

const properties = {
  displayName: name(),
  description: text(1024).nullable(),
  isEnabled: z.boolean(),
}
const patch = z
  .strictObject({ ...properties, restrictions: appManagementRows.restrictions.body })
  .partial()
const defaultPatch = z
  .strictObject({
    ...properties,
    applicationRestrictions: appManagementRows.applicationRestrictions.body,
    servicePrincipalRestrictions: appManagementRows.servicePrincipalRestrictions.body,
  })
  .partial()

/** The restrictions that a body lacks stay. */
const merged = (before: unknown, given: object = {}) =>
  ({ ...Object(before), ...given }) as DirectoryPolicy['definition']

const defaultOf = ({ caller }: RequestCall): DirectoryPolicy =>
  caller.tenant.policies.find(({ id }) => id === defaultAppManagementPolicyId) ?? untouched

/** What applications and service principals of the tenant may have. */
export const appManagementPolicyOperations: readonly DirectoryOperation[] = [
  {
    method: 'GET',
    path: '/policies/defaultAppManagementPolicy',
    requires: readsPolicies,
    summary: 'Shows the app management policy of all objects without an assigned one.',
    read: (call) => showEntity(call, defaultPolicy, defaultOf(call)),
  },
  {
    method: 'PATCH',
    path: '/policies/defaultAppManagementPolicy',
    requires: writesPolicies,
    summary: 'Changes the default app management policy. Credentials that exist stay.',
    takesBody: true,
    action: 'policy.update',
    change: (call) => {
      const before = defaultOf(call)
      const { applicationRestrictions, servicePrincipalRestrictions, ...rest } = parseBody(
        defaultPatch,
        call.body,
      )
      const {
        applicationRestrictions: ofApplications,
        servicePrincipalRestrictions: ofPrincipals,
      } = Object(before.definition)
      const definition = {
        applicationRestrictions: merged(ofApplications, applicationRestrictions),
        servicePrincipalRestrictions: merged(ofPrincipals, servicePrincipalRestrictions),
      }
      const after: DirectoryPolicy = { ...before, ...omitUndefined(rest), definition }
      return changed(call, after.id, (all) => [...all.filter(({ id }) => id !== after.id), after])
    },
  },
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
