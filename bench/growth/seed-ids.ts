import { createHash } from 'node:crypto'

/** A GUID that depends on the seed and a name only. */
export function guidOf(seed: string, name: string): string {
  const hex = createHash('sha256').update(`${seed} ${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The secret of a client, by its index from 0. */
export const secretOf = (seed: string, index: number): string =>
  createHash('sha256').update(`${seed} secret ${index}`).digest('base64url')

/** The name of the API with many roles. */
export const rolesApi = 'roles api'

/** The seed of one of several tenants, by its index from 0. */
export const seedOfTenant = (seed: string, index: number): string => `${seed}-${index}`

/** The IDs that a load generator needs. */
export const idsOf = (seed: string) => ({
  tenantId: guidOf(seed, 'tenant'),
  apiAppId: guidOf(seed, 'api app'),
  rolesApiAppId: guidOf(seed, `${rolesApi} app`),
  clientIdOf: (index: number) => guidOf(seed, `client app ${index}`),
})
