import { Hono } from 'hono'
import { tokenEndpointVersions } from './dialect/request/token-endpoint-versions.ts'
import { documentEndpoints } from './http/document-endpoints.ts'
import { errorLookup } from './http/error-lookup.ts'
import { healthEndpoints } from './http/health-endpoints.ts'
import type { ServerEnv } from './http/server-env.ts'
import type { ServiceOptions } from './http/service-options.ts'
import { methodRefusal, tokenEndpoint } from './http/token-endpoint.ts'

/**
 * The identity provider as a web-standard `fetch` handler: no socket, no environment.
 *
 * Everything that two listeners share, such as the throttle, is passed in; each listener has an app
 * of its own, because each has an authority of its own.
 *
 * @param management The APIs that change what tokens are made from.
 */
export function createApp(options: ServiceOptions, management: Hono): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  app.route('/', management)
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
  app.notFound((context) =>
    context.json({ error: 'not_found', error_description: 'There is nothing at this path.' }, 404),
  )
  app.onError((cause, context) => {
    options.log.error({ err: cause, path: context.req.path }, 'a request failed')
    return context.json(
      { error: 'server_error', error_description: 'The log has the reason.' },
      500,
    )
  })
  return app
}
