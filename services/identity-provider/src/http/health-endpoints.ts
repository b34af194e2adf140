import type { ServerEnv } from '@greeting/http-service'
import { Hono } from 'hono'
import type { ServiceOptions } from './service-options.ts'

type Readiness = 'ready' | 'stopping' | 'storage unavailable' | 'no keys' | 'clock differs'

/** Serves the health of the process, and its readiness to issue tokens. */
export function healthEndpoints({
  directory,
  keys,
  isReady,
  isClockAgreed,
}: Pick<ServiceOptions, 'directory' | 'keys' | 'isReady' | 'isClockAgreed'>): Hono<ServerEnv> {
  const state = async (): Promise<Readiness> => {
    if (!isReady()) return 'stopping'
    try {
      await directory.read(() => undefined)
    } catch {
      return 'storage unavailable'
    }
    if (keys.published().length === 0) return 'no keys'
    return isClockAgreed() ? 'ready' : 'clock differs'
  }
  const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
  return new Hono<ServerEnv>()
    .get('/healthz', (context) => context.json({ status: 'alive' }, 200, headers))
    .get('/readyz', async (context) => {
      const status = await state()
      return context.json({ status }, status === 'ready' ? 200 : 503, headers)
    })
}
