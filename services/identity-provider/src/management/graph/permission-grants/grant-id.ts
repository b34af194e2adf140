import type { Runtime } from '../../../directory/runtime.ts'

const guidBytes = 16

/** A new ID of a grant. It begins with the ID of the client, so that the client is found by it. */
export const grantId = (clientId: string, runtime: Runtime): string =>
  Buffer.concat([
    Buffer.from(clientId.replaceAll('-', ''), 'hex'),
    runtime.randomBytes(guidBytes),
  ]).toString('base64url')

/** The client in the ID of a grant; undefined for any other text. */
export function clientIdIn(id: string): string | undefined {
  const bytes = Buffer.from(id.slice(0, 64), 'base64url')
  if (bytes.length !== 2 * guidBytes || bytes.toString('base64url') !== id) return undefined
  const hex = bytes.toString('hex', 0, guidBytes)
  const ends = [0, 8, 12, 16, 20, 32]
  return ends
    .slice(1)
    .map((end, part) => hex.slice(ends[part], end))
    .join('-')
}
