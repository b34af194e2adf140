import { readAtMost } from '../encoding/bounded-bytes.ts'
import type { Runtime } from '../runtime.ts'
import { KeySetError } from './key-set-error.ts'

const maxBytes = 256 * 1024

/**
 * Fetches a published key set and returns its bytes.
 *
 * @param timeoutMs for the whole request, from the connection to the last byte
 * @throws {KeySetError} `unreachable`, `timed_out`, `bad_status` (any status but 200; redirects are
 *   not followed) or `too_large` (above 256 KB, decoded)
 */
export async function fetchKeySet(
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
  // A custom `fetch` may ignore the signal, so the wait ends by a race.
  const response = readResponse(fetch, url, controller)
  try {
    return await Promise.race([response, timeout.promise])
  } catch (error) {
    if (error instanceof KeySetError) throw error
    throw new KeySetError('unreachable', `the key set at ${url} could not be read`, error)
  } finally {
    cancelTimeout()
    response.catch(() => {})
    controller.abort()
  }
}

async function readResponse(
  fetch: Runtime['fetch'],
  url: string,
  controller: AbortController,
): Promise<Uint8Array> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
    redirect: 'manual',
    signal: controller.signal,
  })
  const { status } = response
  if (status !== 200) {
    const hint = status === 404 ? `: there is no identity provider at ${url}` : ''
    throw new KeySetError(
      'bad_status',
      `the request for the key set got the status ${status}${hint}`,
    )
  }
  const bytes = await readAtMost(response.body ?? [], maxBytes)
  if (bytes) return bytes
  throw new KeySetError('too_large', `the key set is above ${maxBytes} B`)
}
