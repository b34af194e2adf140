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

const serverError = JSON.stringify({
  error: 'server_error',
  error_description: 'The request could not be answered',
})

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** Builds the greeting API: the guarded greetings, and what is open around them. */
export function createApp({ guard, place, resourceMetadata, metrics, isStopping, log }: AppParts) {
  const description = describeApi(place)
  const descriptionJson = JSON.stringify(description)
  const resourceMetadataJson = JSON.stringify(resourceMetadata.document)
  const docs = docsPage(description, place)

  const app = guardedApp(guard, '/api/v1', greetingRoutes)
  app.get('/', (c) => {
    const body = prefersHtml(c) ? landingPage : JSON.stringify(landing)
    const headers = prefersHtml(c) ? pageHeaders : { 'content-type': 'application/json' }
    return c.body(body, 200, { ...headers, vary: 'accept' })
  })
  app.get('/docs', (c) => c.body(docs, 200, pageHeaders))
  app.get('/openapi.json', (c) =>
    c.body(descriptionJson, 200, { 'content-type': 'application/json' }),
  )
  app.get(resourceMetadata.path, (c) =>
    c.body(resourceMetadataJson, 200, { 'content-type': 'application/json' }),
  )
  app.get('/healthz', (c) => c.body('{"status":"alive"}', 200, jsonHeaders))
  app.get('/readyz', (c) => {
    const status = isStopping() ? 'stopping' : guard.isReady() ? 'ready' : 'waiting for keys'
    return c.body(JSON.stringify({ status }), status === 'ready' ? 200 : 503, jsonHeaders)
  })
  app.get('/metrics', async (c) =>
    c.body(await metrics.read(), 200, { 'content-type': metrics.contentType }),
  )
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, 'request failed')
    return c.body(serverError, 500, jsonHeaders)
  })
  return app
}

function prefersHtml(c: Context): boolean {
  return (c.req.header('accept') ?? '').includes('text/html')
}
