import type { Runtime } from '../runtime.ts'
import type { KeySetFault } from './key-set.ts'

/** Why a key set could not be had. */
export type KeySetErrorCode = 'unreachable' | 'timed_out' | 'bad_status' | 'too_large' | KeySetFault

/** A refresh of the key set that failed; `code` says how, `cause` holds what was thrown. */
export class KeySetError extends Error {
  readonly code: KeySetErrorCode

  constructor(code: KeySetErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'KeySetError'
    this.code = code
  }
}

const mostBytes = 256 * 1024

/**
 * Asks for a published key set and returns its bytes, unjudged.
 *
 * @param timeoutMs for the whole exchange, from connecting to the last byte
 * @throws {KeySetError} `unreachable`, `timed_out`, `bad_status` (anything but 200; redirects are
 *   not followed) or `too_large` (above 256 KB, decoded)
 */
export async function requestKeySet(
  url: string,
  timeoutMs: number,
  { fetch, schedule }: Pick<Runtime, 'fetch' | 'schedule'>,
): Promise<Uint8Array> {
  const controller = new AbortController()
  const timeout = Promise.withResolvers<never>()
  const cancelTimeout = schedule(timeoutMs, () => {
    const error = new KeySetError('timed_out', `no complete key set within ${timeoutMs} ms`)
    controller.abort(error)
    timeout.reject(error)
  })
  // A server, or a `fetch` that was passed in, may never come back: then nobody waits for it.
  const exchange = read(fetch, url, controller)
  try {
    return await Promise.race([exchange, timeout.promise])
  } catch (error) {
    if (error instanceof KeySetError) throw error
    throw new KeySetError('unreachable', `the key set at ${url} could not be read`, error)
  } finally {
    cancelTimeout()
    exchange.catch(() => {})
    controller.abort()
  }
}

async function read(
  fetch: Runtime['fetch'],
  url: string,
  controller: AbortController,
): Promise<Uint8Array> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    redirect: 'manual',
    signal: controller.signal,
  })
  if (response.status !== 200) {
    throw new KeySetError('bad_status', `the key set was answered with status ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > mostBytes) throw new KeySetError('too_large', `the key set is above ${mostBytes} B`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
