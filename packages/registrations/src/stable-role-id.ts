import { v5 } from 'uuid'

/**
 * The ID of an app role without an ID in the file. It is the same in every run against one tenant,
 * and different in every other tenant.
 *
 * @param tenantId namespace, a GUID in either case
 * @param api display name of the API
 * @param value value of the app role
 * @see RFC 9562 section 5.5
 */
export function stableRoleId(tenantId: string, api: string, value: string): string {
  // As bytes: uuid refuses a namespace whose version it does not know, and a tenant ID may have any.
  const namespace = Buffer.from(tenantId.replaceAll('-', ''), 'hex')
  return v5(`appRole:${api}/${value}`, namespace)
}
