import type { Guard, ResourceMetadata } from '@greeting/guard'
import { guardedApp } from '@greeting/guard/hono'
import { errorAnswer, errorResponse } from '@greeting/http-service'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import { type ApiAddresses, describeApi } from './api-description.ts'
import { docsFiles } from './docs/docs-files.ts'
import { docsHeaders, docsPage } from './docs/docs-page.ts'
import { pageHeaders } from './docs/page.ts'
import { greetingRoutes, type Role } from './greetings.ts'
import { landing, landingPage } from './landing-page.ts'

/** Everything that the app needs. It reads no environment and opens no socket. */
export type AppOptions = {
  readonly guard: Guard<Role>
  readonly addresses: ApiAddresses
  readonly resourceMetadata: ResourceMetadata
  /** Whether the service has begun to stop. */
  readonly isStopping: () => boolean
  readonly log: Pick<Logger, 'error'>
}

const json = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }
const uncachedJson = { ...json, 'cache-control': 'no-store' }
const landingJson = JSON.stringify(landing)
const alive = JSON.stringify({ status: 'alive' })
const serverError = errorAnswer(500, 'server_error', 'The request could not be answered')

/** Creates the greeting API: the guarded greetings and the open routes. */
export function createApp(options: AppOptions) {
  const { guard, addresses, resourceMetadata, isStopping, log } = options
  const description = describeApi(addresses)
  const descriptionJson = JSON.stringify(description)
  const resourceMetadataJson = JSON.stringify(resourceMetadata.document)
  let docs: string | undefined

  const app = guardedApp(guard, '/api/v1', greetingRoutes)
  app.get('/', (c) => {
    const [body, headers] = prefersHtml(c) ? [landingPage, pageHeaders] : [landingJson, json]
    return new Response(body, { headers: { ...headers, vary: 'accept' } })
  })
  app.get('/docs', () => {
    docs ??= docsPage(description, addresses)
    return new Response(docs, { headers: docsHeaders })
  })
  app.get('/docs/:file', async ({ req }, next) => {
    const file = await docsFiles.answer(req.param('file'), req.header('accept-encoding'))
    return file ?? next()
  })
  app.get('/openapi.json', () => new Response(descriptionJson, { headers: json }))
  app.get(resourceMetadata.path, () => new Response(resourceMetadataJson, { headers: json }))
  app.get('/healthz', () => new Response(alive, { headers: uncachedJson }))
  app.get('/readyz', () => {
    const status = isStopping() ? 'stopping' : guard.isReady() ? 'ready' : 'waiting for keys'
    return new Response(JSON.stringify({ status }), {
      status: status === 'ready' ? 200 : 503,
      headers: uncachedJson,
    })
  })
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, 'request failed')
    return errorResponse(serverError)
  })
  return app
}

function prefersHtml(c: Context): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}
