import type { ServerEnv } from '@greeting/http-service'
import { errorAnswer, errorResponse } from '@greeting/http-service'
import { type Handler, Hono } from 'hono'
import { routePath } from 'hono/route'
import { tokenEndpointVersions } from './dialect/request/token-endpoint-versions.ts'
import { documentEndpoints } from './http/document-endpoints.ts'
import { errorLookup } from './http/error-lookup.ts'
import { healthEndpoints } from './http/health-endpoints.ts'
import type { AppFetch } from './http/load-at-first-request.ts'
import type { ServiceOptions } from './http/service-options.ts'
import { methodRefusal, tokenEndpoint } from './http/token-endpoint.ts'
import {
  graphPaths,
  serverManagementPath,
  subscriptionsPath,
  tenantsPath,
} from './management/operations/management-paths.ts'

const notFound = errorAnswer(404, 'not_found', 'The path does not exist')
const serverError = errorAnswer(500, 'server_error', 'The request could not be answered')

const answerWith =
  (fetch: AppFetch): Handler<ServerEnv> =>
  ({ req, env }) =>
    fetch(req.raw, env)

/**
 * Creates the identity provider as a `fetch` handler, without a socket and an environment.
 *
 * Each listener has its own app, because its documents contain its own URL. State that the listeners
 * share, such as the rate limit, is part of the options.
 *
 * @param management answers the management APIs; without it, their paths do not exist
 * @param portal answers browsers; without it, the paths of the portal do not exist
 */
export function createApp(
  options: ServiceOptions,
  management?: AppFetch,
  portal?: AppFetch,
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
  // Before the routes whose first segment is a tenant.
  if (management !== undefined) {
    const manage = answerWith(management)
    for (const path of [...graphPaths, serverManagementPath]) app.all(`${path}/*`, manage)
    for (const path of [subscriptionsPath, tenantsPath]) app.get(path, manage)
  }
  if (portal !== undefined) {
    const show = answerWith(portal)
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
