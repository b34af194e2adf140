import { Hono } from 'hono'
import type { ServerEnv } from './request-header.ts'
import type { ServiceOptions } from './service-options.ts'

/** Serves the health of the process, and its readiness to issue tokens. */
export function healthEndpoints({
  directory,
  keys,
  isReady,
}: Pick<ServiceOptions, 'directory' | 'keys' | 'isReady'>): Hono<ServerEnv> {
  const state = async (): Promise<'ready' | 'stopping' | 'storage unavailable' | 'no keys'> => {
    if (!isReady()) return 'stopping'
    try {
      await directory.read(() => undefined)
    } catch {
      return 'storage unavailable'
    }
    return keys.published().length === 0 ? 'no keys' : 'ready'
  }
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return new Hono<ServerEnv>()
    .get('/healthz', (context) => context.json({ status: 'alive' }, 200, headers))
    .get('/readyz', async (context) => {
      const status = await state()
      return context.json({ status }, status === 'ready' ? 200 : 503, headers)
    })
}
