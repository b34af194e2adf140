import type { Context } from 'hono'
import { headerOf } from './request-header.ts'
import type { ServerEnv } from './server-env.ts'

/** A body that was not taken. */
export class BodyTooLargeError extends Error {
  readonly code = 'BODY_TOO_LARGE'
  override readonly name = 'BodyTooLargeError'
}

/** A body whose sender went away, or broke HTTP, before its end. */
export class BodyCutError extends Error {
  readonly code = 'BODY_CUT'
  override readonly name = 'BodyCutError'
}

/**
 * Reads the body of a request, whole, as long as it is no larger than allowed.
 *
 * @throws {BodyTooLargeError} BODY_TOO_LARGE before more than `maxBytes` are kept, however the
 *   request says or hides its length.
 * @throws {BodyCutError} BODY_CUT
 */
export async function readBody(context: Context<ServerEnv>, maxBytes: number): Promise<Uint8Array> {
  const told = headerOf(context, 'content-length')
  const isTold = told !== undefined && headerOf(context, 'transfer-encoding') === undefined
  if (isTold && !(Number(told) <= maxBytes)) throw new BodyTooLargeError()
  try {
    // The server holds the sender to the length that it told.
    if (isTold) return new Uint8Array(await context.req.raw.arrayBuffer())
    return await collect(context.req.raw.body ?? [], maxBytes)
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) throw cause
    throw new BodyCutError('The body ended before its end.', { cause })
  }
}

async function collect(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.byteLength
    if (bytes > maxBytes) throw new BodyTooLargeError()
    parts.push(part)
  }
  return Buffer.concat(parts)
}
