import type { ServerEnv } from '@greeting/http-service'
import type { Hono } from 'hono'

export type AppFetch = (request: Request, env: ServerEnv['Bindings']) => Promise<Response>

/**
 * An app that is loaded for its first request, because most servers get no request for it.
 *
 * @param load called once, and again for the next request after a failure
 */
export function loadAtFirstRequest(load: () => Promise<Hono<ServerEnv> | Hono>): AppFetch {
  let loaded: ReturnType<typeof load> | undefined
  return async (request, env) => {
    loaded ??= load().catch((cause) => {
      loaded = undefined
      throw cause
    })
    const app = await loaded
    return app.fetch(request, env)
  }
}
