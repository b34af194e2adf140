import type { Hono } from 'hono'
import type { ServerEnv } from '../http/request-header.ts'
import type { PortalOptions } from './portal-options.ts'

/** Answers a request of a browser. */
export type PortalFetch = (request: Request, env: ServerEnv['Bindings']) => Promise<Response>

/**
 * The portal, which is loaded for its first request: most servers never show a page.
 *
 * @param options called once
 */
export function loadPortal(options: () => PortalOptions): PortalFetch {
  let loaded: Promise<Hono<ServerEnv>> | undefined
  const load = async () => {
    const { createPortal } = await import('./portal-app.ts')
    return createPortal(options())
  }
  return async (request, env) => {
    loaded ??= load()
    const app = await loaded
    return app.fetch(request, env)
  }
}
