import {
  type Application,
  bodyForms,
  type Directory,
  graphAppId,
  inertAfter,
  inertDefaults,
  isGuid,
  newServicePrincipal,
  newTenant,
  put,
  shownProperties,
  type Tenant,
  tenantProperties,
} from '@greeting/directory'
import { z } from 'zod'
import { parseBody } from '../body/parse-body.ts'
import { createAdministrator } from '../bootstrap/administrator.ts'
import { patchOf } from '../graph/directory-objects/object-body.ts'
import type { EntitySet } from '../odata/entity-set.ts'
import { entityTag, requireMatch } from '../odata/entity-tag.ts'
import { listEntities } from '../odata/list-entities.ts'
import { parseQuery, supportedOptions } from '../odata/query-options.ts'
import { showCreated, showEntity } from '../odata/show-entity.ts'
import {
  type Call,
  type Change,
  type ChangingCall,
  type DirectoryOperation,
  operation,
} from '../operations/operation.ts'
import { apisOfEveryTenant } from '../privileges/built-in-apis.ts'
import { readsTenants, writesTenants } from '../privileges/server-roles.ts'
import { refuse } from '../refusals/graph-error.ts'

/** The operations on the server's tenants. Each tenant is a separate directory. */
export const tenantOperations: readonly DirectoryOperation[] = [
  operation('GET /tenants', readsTenants, {
    summary: 'Lists the tenants.',
    read: (call) => listEntities(call, tenants, call.directory.tenants()),
  }),
  operation('POST /tenants', writesTenants, {
    summary:
      'Creates a tenant with an administrator application. Only this response contains its secret.',
    action: 'tenant.create',
    change: create,
  }),
  operation('GET /tenants/{id}', readsTenants, {
    summary: 'Shows a tenant.',
    read: (call) => showEntity(call, tenants, findTenant(call)),
  }),
  operation('PATCH /tenants/{id}', writesTenants, {
    summary:
      'Changes the name or the verified domains of a tenant, or disables it. A disabled tenant issues no tokens.',
    action: 'tenant.update',
    change: update,
  }),
  operation('POST /tenants/{id}/administrator', writesTenants, {
    summary:
      'Creates another administrator application in a tenant. Only this response contains its secret.',
    action: 'administrator.create',
    change: addAdministrator,
    takesBody: false,
  }),
]

const tenants: EntitySet<Tenant> = {
  name: 'tenants',
  type: 'tenant',
  keyOf: ({ id }) => id,
  markOf: ({ id }, { directory }) => directory.markOf('tenant', id),
  properties: shownProperties(tenantProperties),
}

const forms = bodyForms(tenantProperties)
const inertInitially = inertDefaults(tenantProperties)
const changedTenant = z.strictObject({ ...forms.changeable, ...forms.inert }).partial()
/** The server chooses the ID, so that a caller cannot take an ID with another meaning. */
const createdTenant = changedTenant.omit({ isEnabled: true }).required({ displayName: true })

function create(call: ChangingCall): Change {
  const { body, committed, runtime } = call
  const { inert, properties } = patchOf<Tenant>(parseBody(createdTenant, body), forms)
  const id = runtime.newGuid()
  const createdDateTime = runtime.now()
  const inertProperties = inertAfter({}, inert, inertInitially)
  const tenant = newTenant({ displayName: '', ...properties, id, createdDateTime, inertProperties })
  requireFreeDomains(tenant, committed)
  const apis = [...apisOfEveryTenant].map((appId) => {
    const application = builtInApplication(committed, appId)
    return { application, principal: newServicePrincipal(id, application, runtime) }
  })
  const created = createAdministrator(id, apis, runtime)
  const { clientId, clientSecret } = created.administrator
  const answer = showCreated(call, tenants, tenant)
  return {
    changes: [
      put('tenant', tenant),
      ...apis.map(({ principal }) => put('servicePrincipal', principal)),
      ...created.changes,
    ],
    target: id,
    answer: { ...answer, body: { ...answer.body, administrator: { clientId, clientSecret } } },
  }
}

function addAdministrator(call: ChangingCall): Change {
  const { id } = findTenant(call)
  parseQuery(call, supportedOptions.nothing)
  const application = builtInApplication(call.committed, graphAppId)
  const principal = call.committed.servicePrincipalByAppId(id, graphAppId)
  if (principal === undefined)
    throw new TypeError('The tenant has no service principal of Microsoft Graph')
  const created = createAdministrator(id, [{ application, principal }], call.runtime)
  return {
    changes: created.changes,
    target: created.administrator.clientId,
    answer: { status: 201, body: created.administrator },
  }
}

function builtInApplication(committed: Directory, appId: string): Application {
  const application = committed.applicationByAppId(appId)
  if (application === undefined)
    throw new TypeError(`The directory has no built-in application ${appId}`)
  return application
}

function update(call: ChangingCall): Change {
  const before = findTenant(call)
  const { inert, properties } = patchOf<Tenant>(parseBody(changedTenant, call.body), forms)
  const after: Tenant = {
    ...before,
    ...properties,
    inertProperties: inertAfter(before.inertProperties, inert, inertInitially),
  }
  requireFreeDomains(after, call.committed)
  // No administrator could enable the tenant of all administrators again.
  if (!after.isEnabled && after.id === call.caller.tenantId) throw refuse('protected_object')
  return {
    changes: [put('tenant', after)],
    target: after.id,
    answer: { status: 204, etag: entityTag(call.nextMark) },
  }
}

function findTenant({ directory, ifMatch, parameters: { id = '' } }: Call): Tenant {
  if (!isGuid(id)) throw refuse('identifier_invalid', id)
  const tenant = directory.tenant(id)
  if (tenant === undefined) throw refuse('resource_unknown', id)
  requireMatch(ifMatch, directory.markOf('tenant', tenant.id))
  return tenant
}

/** Requires that each domain belongs to one tenant only. */
function requireFreeDomains({ id, domains }: Tenant, directory: Directory): void {
  for (const domain of domains) {
    const other = directory.tenant(domain)
    if (other !== undefined && other.id !== id) throw refuse('tenant_taken', domain)
  }
}
