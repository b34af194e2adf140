import { errorAnswer, errorResponse, type ServerEnv } from '@greeting/http-service'
import { type Handler, Hono } from 'hono'
import { html } from 'hono/html'
import { routePath } from 'hono/route'
import { getPathNoStrict } from 'hono/utils/url'
import { tokenEndpointVersions } from './dialect/request/token-endpoint-versions.ts'
import { documentEndpoints } from './endpoints/document-endpoints.ts'
import type { AppFetch } from './endpoints/load-at-first-request.ts'
import type { ServiceOptions } from './endpoints/service-options.ts'
import { methodRefusal, tokenEndpoint } from './endpoints/token-endpoint.ts'
import {
  graphPaths,
  serverManagementPath,
  subscriptionsPath,
  tenantsPath,
} from './management/operations/management-paths.ts'
import { refusalTable } from './refusals/refusal-table.ts'

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
  const app = new Hono<ServerEnv>({ getPath: comparedPath })
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
    // Scripts write the version in any case (entra E373).
    app.all('/:version{[Vv]1\\.0|[Bb][Ee][Tt][Aa]}/*', ({ env, req }) => {
      const version = `/${req.param('version')}/`
      const url = req.url.replace(version, version.toLowerCase())
      return management(new Request(url, req.raw), env)
    })
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
  app.route('/', errorLookup(portal && answerWith(portal)))
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

/** A path without a slash at its end, and in lower case behind the tenant (entra E371). */
const comparedPath = (request: Request): string =>
  getPathNoStrict(request).replace(/(?<=.)\/.*/, (rest) => rest.toLowerCase())

type Readiness = 'ready' | 'stopping' | 'storage unavailable' | 'no keys' | 'clock differs'

/** Serves the health of the process, and its readiness to issue tokens. */
function healthEndpoints({
  directory,
  keys,
  isReady,
  isClockAgreed,
  standbyState,
}: Pick<
  ServiceOptions,
  'directory' | 'keys' | 'isReady' | 'isClockAgreed' | 'standbyState'
>): Hono<ServerEnv> {
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
      const standby = standbyState?.()
      const body = standby === undefined ? { status } : { status, standby }
      return context.json(body, status === 'ready' ? 200 : 503, headers)
    })
}

const unknownCode = errorAnswer(404, 'not_found', 'The code is not known')
const pageHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/**
 * Serves the page behind `error_uri`: the causes of a code, and their remedies.
 *
 * @param show answers browsers; without it, the page has no style
 */
function errorLookup(show: Handler<ServerEnv> | undefined): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get('/error', (context, next) => {
    const code = Number(context.req.query('code'))
    const rows = Object.values(refusalTable).filter((row) => row.code === code)
    const accepted = context.req.header('accept') ?? ''
    if (accepted.includes('text/html') && show !== undefined) return show(context, next)
    if (rows.length === 0) return errorResponse(unknownCode)
    const remedies = [...new Set(rows.map(({ remedy }) => remedy))]
    if (accepted.includes('application/json')) return context.json({ code, remedies })
    const title = `AADSTS${code}`
    return context.html(
      html`<!doctype html>
        <html lang="en">
          <meta charset="utf-8" />
          <title>${title}</title>
          <h1>${title}</h1>
          ${rows.map(({ when, remedy }) => html`<p>If ${when}, then: ${remedy}</p>`)}
        </html>`,
      200,
      pageHeaders,
    )
  })
}
