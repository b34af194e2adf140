import { createHash } from 'node:crypto'

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
  const hash = createHash('sha1').update(tenantId.replaceAll('-', ''), 'hex')
  const bytes = hash.update(`appRole:${api}/${value}`).digest()
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex', 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
