import type { Tenant } from '../../../directory/tenant.ts'
import type { EntitySet } from '../../odata/entity-set.ts'
import { listEntities } from '../../odata/list-entities.ts'
import type { ReadOperation } from '../../operations/operation.ts'
import { anyClient, readsAssignments } from '../../privileges/graph-roles.ts'
import { refuse } from '../../refusals/graph-error.ts'

/** What a tenant says about itself, and the refusal of everything about a signed-in user. */
export const tenantReadOperations: readonly ReadOperation[] = [
  {
    method: 'GET',
    path: '/organization',
    requires: readsAssignments,
    summary: 'Shows the tenant of the caller.',
    read: (call) => listEntities(call, organization, [call.caller.tenant]),
  },
  {
    method: 'GET',
    path: '/domains',
    requires: readsAssignments,
    summary: 'Lists the verified domains of the tenant.',
    read: (call) => listEntities(call, domains, domainsOf(call.caller.tenant)),
  },
  ...['/me', '/me/{navigation}'].map(
    (path): ReadOperation => ({
      method: 'GET',
      path,
      requires: anyClient,
      summary: 'Is refused, because no user signs in.',
      read: () => {
        throw refuse('delegated_only')
      },
    }),
  ),
]

type Domain = { readonly name: string; readonly isDefault: boolean }

const domainsOf = ({ domains: names }: Tenant): Domain[] =>
  names.map((name, index) => ({ name, isDefault: index === 0 }))

/** The tenant itself. */
export const organization: EntitySet<Tenant> = {
  name: 'organization',
  type: 'organization',
  keyOf: ({ id }) => id,
  filterable: { id: 'value', displayName: 'value' },
  properties: {
    id: ({ id }) => id,
    deletedDateTime: () => null,
    businessPhones: () => [],
    createdDateTime: ({ createdDateTime }) => createdDateTime.toISOString(),
    displayName: ({ displayName }) => displayName,
    tenantType: () => 'AAD',
    verifiedDomains: (tenant) =>
      domainsOf(tenant).map(({ name, isDefault }) => ({
        capabilities: '',
        isDefault,
        isInitial: isDefault,
        name,
        type: 'Managed',
      })),
  },
}

/** The domains of a tenant. */
export const domains: EntitySet<Domain> = {
  name: 'domains',
  type: 'domain',
  keyOf: ({ name }) => name,
  filterable: { id: 'value' },
  properties: {
    authenticationType: () => 'Managed',
    id: ({ name }) => name,
    isAdminManaged: () => true,
    isDefault: ({ isDefault }) => isDefault,
    isInitial: ({ isDefault }) => isDefault,
    isRoot: () => true,
    isVerified: () => true,
    supportedServices: () => [],
  },
}
