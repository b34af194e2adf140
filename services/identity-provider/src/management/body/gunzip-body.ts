import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { BodyTooLargeError } from '@greeting/http-service'

/** A body that is not complete gzip data. */
export class BodyUndecodableError extends Error {
  readonly code = 'body_undecodable'
  override readonly name = 'BodyUndecodableError'
}

const decompress = promisify(gunzip)

/**
 * Decodes a body with the content coding gzip (RFC 9110 section 8.4.1.3), up to a limit.
 *
 * @throws {BodyTooLargeError} body_too_large before more than `maxBytes` are decoded.
 * @throws {BodyUndecodableError} body_undecodable when the body is damaged or ends early.
 */
export async function gunzipBody(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLargeError()
    throw new BodyUndecodableError('The body is not gzip data', { cause })
  }
}
