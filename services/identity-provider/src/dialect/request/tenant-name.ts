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
 * @throws {RefusedError} tenant_missing, tenant_is_consumers, tenant_malformed
 */
export function judgeTenantName(tenant: string): string {
  const name = tenant.toLowerCase()
  if (name === 'consumers') refuseRequest({ reason: 'tenant_is_consumers' })
  if (sharedAuthorities.has(name)) refuseRequest({ reason: 'tenant_missing' })
  return judgeTenantShape(tenant)
}

/**
 * Judges whether a text could name a tenant.
 *
 * @throws {RefusedError} tenant_malformed
 */
export function judgeTenantShape(tenant: string): string {
  if (!isGuid(tenant) && !dnsName.test(tenant))
    refuseRequest({ reason: 'tenant_malformed', tenant })
  return tenant
}
