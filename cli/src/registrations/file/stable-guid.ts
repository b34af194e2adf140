import { createHash } from 'node:crypto'

/**
 * A GUID that a name always has inside a namespace: a UUID of version 5.
 *
 * @param namespace GUID, in either case.
 * @param name Any text; taken as UTF-8.
 * @see RFC 9562, section 5.5
 * @example
 * stableGuid('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')
 * // => '2ed6657d-e927-568b-95e1-2665a8aea6a2'
 */
export function stableGuid(namespace: string, name: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * The id of an application role whose file does not give one: the same in every run against one
 * tenant, and another in every other tenant.
 */
export const stableRoleId = (tenantId: string, api: string, value: string): string =>
  stableGuid(tenantId, `appRole:${api}/${value}`)
