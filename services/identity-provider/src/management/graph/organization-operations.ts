import {
  complexType,
  domainsOf,
  initialDomainOf,
  isGuid,
  shownProperties,
  type Tenant,
  tenantProperties,
} from '@greeting/directory'
import type { EntitySet } from '../odata/entity-set.ts'
import { listEntities } from '../odata/list-entities.ts'
import { parseQuery, supportedOptions } from '../odata/query-options.ts'
import { showEntity } from '../odata/show-entity.ts'
import { type Call, operation, type ReadOperation } from '../operations/operation.ts'
import { anyClient, readsAssignments } from '../privileges/graph-roles.ts'
import { refuse } from '../refusals/graph-error.ts'
import { keyIn } from './directory-objects/find-object.ts'
import { endsOfList } from './directory-objects/object-type.ts'

/** Reads the tenant's own properties. Refuses `/me`, because no user signs in. */
export const organizationOperations: readonly ReadOperation[] = [
  operation('GET /organization', readsAssignments, {
    summary: 'Shows the tenant of the caller.',
    ends: endsOfList(),
    read: (call) => listEntities(call, organization, [call.caller.tenant]),
  }),
  operation('GET /organization/{id}', readsAssignments, {
    summary: 'Shows the tenant of the caller by its ID.',
    read: (call) => showOne(call, organization, [call.caller.tenant]),
  }),
  operation('GET /domains', readsAssignments, {
    summary: 'Lists the verified domains of the tenant.',
    ends: endsOfList(),
    read: (call) => listEntities(call, domains, domainEntries(call.caller.tenant)),
  }),
  operation('GET /domains/{id}', readsAssignments, {
    summary: 'Shows a verified domain of the tenant.',
    read: (call) => showOne(call, domains, domainEntries(call.caller.tenant)),
  }),
  operation('GET /tenantRelationships/{property}/{key}', readsAssignments, {
    properties: ['findTenantInformationByTenantId', 'findTenantInformationByDomainName'],
    summary: 'Shows the names of a tenant of this server by its ID or by one of its domains.',
    read: (call) => {
      parseQuery(call, supportedOptions.nothing)
      const isById = call.parameters.property?.endsWith('Id')
      const name = keyIn(call.parameters.key, isById ? 'tenantId' : 'domainName') ?? ''
      const tenant = isGuid(name) === isById ? call.directory.tenant(name) : undefined
      if (tenant === undefined) throw refuse('resource_unknown', name)
      const { displayName, id: tenantId } = tenant
      const [defaultDomainName] = domainsOf(tenant)
      const context = `${call.rootUrl}/$metadata#microsoft.graph.tenantInformation`
      const names = { tenantId, federationBrandName: null, displayName, defaultDomainName }
      return { status: 200, body: { '@odata.context': context, ...names } }
    },
  }),
  ...['/me', '/me/{navigation}'].map(
    (path): ReadOperation =>
      operation(`GET ${path}`, anyClient, {
        summary: 'Is refused, because no user signs in.',
        read: () => {
          throw refuse('delegated_only')
        },
      }),
  ),
]

function showOne<Entity>(call: Call, set: EntitySet<Entity>, entities: readonly Entity[]) {
  const { id = '' } = call.parameters
  const found = entities.find((one) => set.keyOf(one) === id.toLowerCase())
  if (found === undefined) throw refuse('resource_unknown', id)
  return showEntity(call, set, found)
}

type Domain = { readonly name: string; readonly isDefault: boolean; readonly isInitial: boolean }

const domainEntries = (tenant: Tenant): Domain[] =>
  domainsOf(tenant).map((name, index) => ({
    name,
    isDefault: index === 0,
    isInitial: name === initialDomainOf(tenant),
  }))

/** Microsoft Graph's entity set `organization`: the tenant itself. */
export const organization: EntitySet<Tenant> = {
  name: 'organization',
  type: 'organization',
  keyOf: ({ id }) => id,
  properties: shownProperties<Tenant, unknown>({
    id: { filter: 'value' },
    deletedDateTime: { fixed: null, type: 'Edm.DateTimeOffset' },
    businessPhones: { fixed: [], type: 'Collection(Edm.String)' },
    createdDateTime: { type: 'Edm.DateTimeOffset' },
    displayName: { filter: 'value' },
    tenantType: { fixed: 'AAD' },
    verifiedDomains: {
      show: (tenant) =>
        domainEntries(tenant).map(({ name, isDefault, isInitial }) => ({
          capabilities: '',
          isDefault,
          isInitial,
          name,
          type: 'Managed',
        })),
      type: [
        complexType('verifiedDomain', {
          capabilities: {},
          isDefault: { type: 'Edm.Boolean' },
          isInitial: { type: 'Edm.Boolean' },
          name: {},
          type: {},
        }),
      ],
    },
    ...Object.fromEntries(
      Object.entries(tenantProperties).filter(([, { inert }]) => inert !== undefined),
    ),
  }),
}

export const domains: EntitySet<Domain> = {
  name: 'domains',
  type: 'domain',
  keyOf: ({ name }) => name,
  properties: shownProperties<Domain, unknown>({
    authenticationType: { fixed: 'Managed' },
    id: { show: ({ name }) => name, filter: 'value' },
    isAdminManaged: { fixed: true, type: 'Edm.Boolean' },
    isDefault: { type: 'Edm.Boolean' },
    isInitial: { type: 'Edm.Boolean' },
    isRoot: { fixed: true, type: 'Edm.Boolean' },
    isVerified: { fixed: true, type: 'Edm.Boolean' },
    supportedServices: { fixed: [], type: 'Collection(Edm.String)' },
  }),
}
