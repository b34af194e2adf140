import type { Guard, ResourceMetadata } from '@greeting/guard'
import { guardedApp } from '@greeting/guard/hono'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import { describeApi, type Place } from './api-description.ts'
import { docsPage } from './docs-page.ts'
import { greetingRoutes, type Role } from './greetings.ts'
import { landing, landingPage } from './landing-page.ts'
import type { Metrics } from './metrics.ts'
import { pageHeaders } from './page.ts'

/** Exactly what the app is built from: no environment, no socket. */
export type AppParts = {
  readonly guard: Guard<Role>
  readonly place: Place
  readonly resourceMetadata: ResourceMetadata
  readonly metrics: Pick<Metrics, 'read' | 'contentType'>
  /** True from the moment that the process was told to stop. */
  readonly isStopping: () => boolean
  readonly log: Pick<Logger, 'error'>
}

const landingJson = JSON.stringify(landing)
const alive = JSON.stringify({ status: 'alive' })
const serverError = JSON.stringify({
  error: 'server_error',
  error_description: 'The request could not be answered',
})

const json = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }
const jsonOfNow = { ...json, 'cache-control': 'no-store' }

/** Builds the greeting API: the guarded greetings, and what is open around them. */
export function createApp({ guard, place, resourceMetadata, metrics, isStopping, log }: AppParts) {
  const description = describeApi(place)
  const descriptionJson = JSON.stringify(description)
  const resourceMetadataJson = JSON.stringify(resourceMetadata.document)
  const docs = docsPage(description, place)

  const app = guardedApp(guard, '/api/v1', greetingRoutes)
  app.get('/', (c) => {
    const [body, headers] = prefersHtml(c) ? [landingPage, pageHeaders] : [landingJson, json]
    return new Response(body, { headers: { ...headers, vary: 'accept' } })
  })
  app.get('/docs', () => new Response(docs, { headers: pageHeaders }))
  app.get('/openapi.json', () => new Response(descriptionJson, { headers: json }))
  app.get(resourceMetadata.path, () => new Response(resourceMetadataJson, { headers: json }))
  app.get('/healthz', () => new Response(alive, { headers: jsonOfNow }))
  app.get('/readyz', () => {
    const status = isStopping() ? 'stopping' : guard.isReady() ? 'ready' : 'waiting for keys'
    return new Response(JSON.stringify({ status }), {
      status: status === 'ready' ? 200 : 503,
      headers: jsonOfNow,
    })
  })
  app.get('/metrics', async () => {
    const headers = { 'content-type': metrics.contentType, 'x-content-type-options': 'nosniff' }
    return new Response(await metrics.read(), { headers })
  })
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, 'request failed')
    return new Response(serverError, { status: 500, headers: jsonOfNow })
  })
  return app
}

function prefersHtml(c: Context): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}
