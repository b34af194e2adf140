import type { Context } from 'hono'
import { headerOf } from './request-header.ts'
import type { ServerEnv } from './server-env.ts'

/** A body that was not taken. */
export class BodyTooLargeError extends Error {
  readonly code = 'BODY_TOO_LARGE'
  override readonly name = 'BodyTooLargeError'
}

/**
 * Reads the body of a request, whole, as long as it is no larger than allowed.
 *
 * @throws {BodyTooLargeError} BODY_TOO_LARGE before more than `maxBytes` are kept, however the
 *   request says or hides its length.
 */
export async function readBody(context: Context<ServerEnv>, maxBytes: number): Promise<Uint8Array> {
  const request = context.req.raw
  const told = headerOf(context, 'content-length')
  // The server holds the sender to the length that it told.
  if (told !== undefined && headerOf(context, 'transfer-encoding') === undefined) {
    if (!(Number(told) <= maxBytes)) throw new BodyTooLargeError()
    return new Uint8Array(await request.arrayBuffer())
  }
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request.body ?? []) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw new BodyTooLargeError()
    parts.push(part)
  }
  return Buffer.concat(parts)
}
