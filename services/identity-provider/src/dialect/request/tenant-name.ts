import { emptyGuid, isGuid } from '@greeting/directory'
import { type Refused, type RequestRefusal, refuse } from '../../refusals/refusal.ts'

const dnsName =
  /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** The names of authorities for several tenants. They are valid in document URLs, but never for a token. */
export const sharedAuthorities: ReadonlySet<string> = new Set([
  'common',
  'organizations',
  'consumers',
])

/**
 * Checks the tenant in the path of a token request, before it is looked up.
 *
 * @returns `undefined`, or a refusal: `tenant_is_consumers`, `tenant_missing`, `tenant_malformed` or `tenant_empty`
 */
export function tenantNameRefusal(tenant: string): Refused<RequestRefusal> | undefined {
  const name = tenant.toLowerCase()
  if (name === 'consumers') return refuse({ reason: 'tenant_is_consumers' })
  if (sharedAuthorities.has(name)) return refuse({ reason: 'tenant_missing' })
  return tenantFormRefusal(tenant)
}

/**
 * Checks that a text has the format of a tenant name: a GUID or a DNS name.
 *
 * @returns `undefined`, or a refusal: `tenant_malformed` or `tenant_empty`
 */
export function tenantFormRefusal(tenant: string): Refused<RequestRefusal> | undefined {
  if (tenant === emptyGuid) return refuse({ reason: 'tenant_empty', tenant })
  const isWellFormed = isGuid(tenant) || dnsName.test(tenant)
  return isWellFormed ? undefined : refuse({ reason: 'tenant_malformed', tenant })
}
