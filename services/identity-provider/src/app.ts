import { errorAnswer, errorResponse } from '@greeting/http-service'
import { type Handler, Hono } from 'hono'
import { routePath } from 'hono/route'
import { tokenEndpointVersions } from './dialect/request/token-endpoint-versions.ts'
import { documentEndpoints } from './http/document-endpoints.ts'
import { errorLookup } from './http/error-lookup.ts'
import { healthEndpoints } from './http/health-endpoints.ts'
import type { ServerEnv } from './http/request-header.ts'
import type { ServiceOptions } from './http/service-options.ts'
import { methodRefusal, tokenEndpoint } from './http/token-endpoint.ts'
import type { PortalFetch } from './portal/load-portal.ts'

const notFound = errorAnswer(404, 'not_found', 'The path does not exist')
const serverError = errorAnswer(500, 'server_error', 'The request could not be answered')

/**
 * Creates the identity provider as a `fetch` handler, without a socket and an environment.
 *
 * Each listener has its own app, because its documents contain its own URL. State that the listeners
 * share, such as the rate limit, is part of the options.
 *
 * @param management the management APIs
 * @param portal answers browsers; without it, the paths of the portal do not exist
 */
export function createApp(
  options: ServiceOptions,
  management: Hono,
  portal?: PortalFetch,
): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  const { observeRequest } = options
  if (observeRequest !== undefined) {
    app.use(async (context, next) => {
      await observeRequest(
        context.req.raw,
        () => routePath(context),
        async () => {
          await next()
          return context.res
        },
      )
    })
  }
  app.route('/', management)
  // Before the routes whose first segment is a tenant.
  if (portal !== undefined) {
    const show: Handler<ServerEnv> = (context) => portal(context.req.raw, context.env)
    app.all('/portal', show)
    app.all('/portal/*', show)
    app.get('/', (context, next) => {
      const isBrowser = context.req.header('accept')?.includes('text/html') ?? false
      return isBrowser ? show(context, next) : next()
    })
  }
  for (const version of tokenEndpointVersions) {
    const path = `/:tenant${version.path}`
    app.post(path, tokenEndpoint(version, options))
    app.all(path, methodRefusal(options))
  }
  app.route('/', healthEndpoints(options))
  app.route('/', errorLookup())
  app.route('/', documentEndpoints(options))
  app.get('/', (context) =>
    context.json({
      name: 'Greeting identity provider',
      discovery: `${options.authority.authUrl}/{tenant}/v2.0/.well-known/openid-configuration`,
    }),
  )
  app.notFound(() => errorResponse(notFound))
  app.onError((cause, context) => {
    options.log.error({ err: cause, path: context.req.path }, 'request failed')
    return errorResponse(serverError)
  })
  return app
}
