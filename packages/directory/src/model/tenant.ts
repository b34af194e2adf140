import { z } from 'zod'
import { isGuid } from './guid.ts'
import type { DirectoryPolicy } from './policy.ts'
import { bodyCollection, name, text } from './properties/forms.ts'
import type { InertProperties } from './properties/inert-properties.ts'
import { initialValues, type PropertyTable } from './properties/property.ts'

/** A separate directory with its own issuer. Its objects are unknown in every other tenant. */
export type Tenant = {
  /** A GUID in lower case. */
  readonly id: string
  readonly displayName: string
  /** Verified domains in lower case, besides the computed one; see `domainsOf`. */
  readonly domains: readonly string[]
  /** A disabled tenant issues no tokens. */
  readonly isEnabled: boolean
  readonly createdDateTime: Date
  /** At most `maxPolicies`. */
  readonly policies: readonly DirectoryPolicy[]
  /** The properties that are only shown, or copied into claims. */
  readonly inertProperties: InertProperties
}

/** A domain that every tenant of Entra ID has from its creation. */
const isInitialDomain = (domain: string): boolean => /^[^.]+\.onmicrosoft\.com$/.test(domain)

/** The initial domain of a tenant: the first of its domains with this form, else one that is computed from its ID. */
export const initialDomainOf = ({ id, domains }: Pick<Tenant, 'id' | 'domains'>): string =>
  domains.find(isInitialDomain) ?? `${id.replaceAll('-', '')}.onmicrosoft.com`

/** All domains of a tenant, the default first. Each is another name of the tenant. */
export const domainsOf = (tenant: Pick<Tenant, 'id' | 'domains'>): readonly string[] => [
  ...new Set([...tenant.domains, initialDomainOf(tenant)]),
]

const computedDomain = /^(.{8})(.{4})(.{4})(.{4})(.{12})\.onmicrosoft\.com$/

/** The ID of a tenant, from its ID or its computed domain; undefined for every other name. */
export function tenantIdIn(name: string): string | undefined {
  const id = name.replace(computedDomain, '$1-$2-$3-$4-$5')
  return isGuid(id) ? id : undefined
}

const maxDomains = 100
const domain = text(253).pipe(
  z
    .hostname('must be a domain name')
    .toLowerCase()
    // These have the form of a host name. In a path they name the tenant with this ID.
    .refine((domain) => tenantIdIn(domain) === undefined, 'must be a domain name without an ID'),
)

/** A row with `inert` and `body` is a whole property: in the store, in both APIs, and for a claim. */
export const tenantProperties: PropertyTable<Tenant, unknown> = {
  id: { column: ['id'] },
  createdDateTime: { column: ['created_at', 'time'] },
  displayName: { column: ['display_name'], filter: 'value', body: name() },
  domains: {
    column: ['domains', 'json'],
    filter: 'collection',
    initial: [],
    body: bodyCollection(domain, maxDomains),
  },
  initialDomain: { show: initialDomainOf },
  isEnabled: {
    column: ['is_enabled', 'boolean'],
    filter: 'value',
    initial: true,
    body: z.boolean(),
  },
  policies: { column: ['policies', 'json'], show: false, initial: [] },
  inertProperties: { column: ['inert_properties', 'json'], show: false, initial: {} },
}

const initial = initialValues(tenantProperties)

/** Creates a tenant with these properties. By default it is enabled, and has no policies and no verified domains. */
export const newTenant = (
  given: Pick<Tenant, 'id' | 'displayName' | 'createdDateTime'> & Partial<Tenant>,
): Tenant => ({ ...initial, ...given }) as Tenant
