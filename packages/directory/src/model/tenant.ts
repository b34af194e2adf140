import type { DirectoryPolicy } from './policy.ts'
import type { PropertyTable } from './properties/property.ts'

/** A separate directory with its own issuer. Its objects are unknown in every other tenant. */
export type Tenant = {
  /** A GUID in lower case. */
  readonly id: string
  readonly displayName: string
  /** Verified domains in lower case. Each is another name of this tenant. */
  readonly domains: readonly string[]
  /** A disabled tenant issues no tokens. */
  readonly isEnabled: boolean
  readonly createdDateTime: Date
  /** At most `maxPolicies`. */
  readonly policies: readonly DirectoryPolicy[]
}

/** The properties of a tenant. */
export const tenantProperties: PropertyTable<Tenant, unknown> = {
  id: { column: ['id'] },
  createdDateTime: { column: ['created_at', 'time'] },
  displayName: { column: ['display_name'], filter: 'value' },
  domains: { column: ['domains', 'json'], filter: 'collection' },
  isEnabled: { column: ['is_enabled', 'boolean'], filter: 'value' },
  policies: { column: ['policies', 'json'], show: false },
}
