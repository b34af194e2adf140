import { isGuid } from '../../directory/guid.ts'
import { refuseRequest } from '../refusals/request-refusal.ts'

const dnsName =
  /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** The names that stand for several tenants: good for documents, never for a token. */
export const sharedAuthorities: ReadonlySet<string> = new Set([
  'common',
  'organizations',
  'consumers',
])

/**
 * Judges the tenant in the path of a token request, before anybody is asked for it.
 *
 * @throws {RefusedError} tenantNotNamed, tenantIsConsumers, tenantMalformed
 */
export function judgeTenantName(tenant: string): string {
  const name = tenant.toLowerCase()
  if (name === 'consumers') refuseRequest({ reason: 'tenantIsConsumers' })
  if (sharedAuthorities.has(name)) refuseRequest({ reason: 'tenantNotNamed' })
  return judgeTenantShape(tenant)
}

/**
 * Judges whether a text could name a tenant.
 *
 * @throws {RefusedError} tenantMalformed
 */
export function judgeTenantShape(tenant: string): string {
  if (!isGuid(tenant) && !dnsName.test(tenant)) refuseRequest({ reason: 'tenantMalformed', tenant })
  return tenant
}
