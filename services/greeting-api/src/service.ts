// Folder: The resource server uses only the key set of the identity provider, over HTTP.

import { createGuard, describeResource, entra, type Runtime } from '@greeting/guard'
import {
  type Fetch,
  type Listen,
  type Listener,
  listen,
  metricsFetch,
  observeRequests,
  openMetricsListener,
  type ProcessContext,
  type RequestObserver,
  type StopOptions,
} from '@greeting/http-service'
import {
  annotateDecision,
  guardOptions,
  logGuardEvents,
  type Metrics,
} from '@greeting/http-service/guarded'
import type { Logger } from 'pino'
import { describeApi } from './api-description.ts'
import { createApp } from './app.ts'
import { roles } from './greetings.ts'
import { openSecureListener } from './secure-listener.ts'
import type { Settings } from './settings.ts'

export type Service = {
  readonly url: string
  /** The origin of the HTTPS listener; `undefined` when HTTPS is off. */
  readonly httpsUrl: string | undefined
  /** The origin of the listener for metrics; `undefined` when it is off. */
  readonly metricsUrl: string | undefined
  /** Reports that the service is not ready, and answers the running requests. */
  readonly stop: (options?: Pick<StopOptions, 'graceMs'>) => Promise<void>
}

/** The parts of a service that a process, a platform or a test provides. */
export type ServiceParts = ProcessContext & {
  readonly runtime?: Partial<Runtime>
  readonly openListener?: Listen
}

/**
 * Starts the greeting API: opens the listener, answers requests and begins to fetch the keys.
 *
 * @param parts `runtime` replaces the clocks and the `fetch` of the guard, and `openListener` replaces
 *   Node's server on another platform
 * @throws {TlsFilesError} tls_files_unusable when the certificate of HTTPS cannot be used
 * @throws {Error} with Node's `code` when a listener cannot be opened
 */
export async function startService(
  settings: Settings,
  log: Logger,
  { tracing, runtime, openListener = listen }: ServiceParts = {},
): Promise<Service> {
  // 1. Listeners and public addresses
  const listeners = await openListeners(settings, log, openListener)
  const baseUrl = settings.BASE_URL ?? listeners.plain.url
  const tenantUrl = `${settings.AUTH_URL}/${settings.TENANT_ID}`
  const scope = `api://${settings.API_APPLICATION_ID}/.default`
  const resourceMetadata = describeResource({
    resource: baseUrl,
    authorizationServers: [`${tenantUrl}/v2.0`],
    scopes: [scope],
    name: 'Greeting API',
    documentation: `${baseUrl}/docs`,
  })

  // 2. Guard, metrics and log
  const metrics = listeners.metrics && (await loadMetrics())
  const logEvent = logGuardEvents(log)
  const guard = createGuard(
    entra({
      ...guardOptions(settings),
      certificateBinding: settings.CERTIFICATE_BINDING,
      roles,
      realm: 'greeting-api',
      resourceMetadataUrl: resourceMetadata.url,
      listener: (event) => {
        metrics?.listener(event)
        logEvent(event)
        if (tracing !== undefined) annotateDecision(tracing, event)
      },
    }),
    runtime ?? { fetch: tracing?.traceFetch(globalThis.fetch) ?? globalThis.fetch },
  )
  if (metrics !== undefined) {
    const { registry } = metrics
    metrics.watch(guard)
    listeners.metrics?.answerWith(metricsFetch(() => registry.metrics()))
  }

  // 3. Requests
  let isStopping = false
  const addresses = { baseUrl, tokenUrl: `${tenantUrl}/oauth2/v2.0/token`, scope }
  const app = createApp({ guard, addresses, resourceMetadata, isStopping: () => isStopping, log })
  const routes = Object.keys(describeApi(addresses).paths)
  const answer = observed(app.fetch, routes, observeRequests(tracing, metrics?.observeRequest))
  for (const one of [listeners.plain, listeners.secure]) one?.answerWith(answer)
  void guard.start()
  return {
    url: listeners.plain.url,
    httpsUrl: listeners.secure?.url,
    metricsUrl: listeners.metrics?.url,
    stop: async (options) => {
      isStopping = true
      await listeners.stop({ ...options, delayMs: settings.STOP_DELAY_SECONDS * 1000 })
      guard.stop()
    },
  }
}

/** Opens all listeners of the settings, or none. */
async function openListeners(settings: Settings, log: Logger, openListener: Listen) {
  const plain = await openListener(settings.HOST, settings.PORT, {
    keepAliveTimeout: settings.KEEP_ALIVE_SECONDS * 1000,
    reusePort: settings.REUSE_PORT,
  })
  const opened: (Listener | undefined)[] = [plain]
  const stop = (options?: StopOptions) => Promise.all(opened.map((one) => one?.stop(options)))
  const openOther = async <Other extends Listener>(opening: Promise<Other | undefined>) => {
    const other = await opening.catch(async (cause) => {
      await stop()
      throw cause
    })
    opened.push(other)
    return other
  }
  const secure = await openOther(openSecureListener(settings, log))
  const metrics = await openOther(openMetricsListener(settings, openListener))
  return { plain, secure, metrics, stop }
}

/** A handler whose requests are observed with their route, or with an empty one. */
function observed(
  fetch: Fetch,
  routes: readonly string[],
  observe: RequestObserver | undefined,
): Fetch {
  if (observe === undefined) return fetch
  const known = new Set(routes)
  const routeOf = (url: string) => {
    const { pathname } = new URL(url)
    return known.has(pathname) ? pathname : ''
  }
  return (request, bindings) =>
    observe(
      request,
      () => routeOf(request.url),
      async () => fetch(request, bindings),
    )
}

/** Loads the code of the metrics, which is needed only when they are on. */
async function loadMetrics(): Promise<Metrics> {
  const { createMetrics } = await import('@greeting/http-service/guard-metrics')
  return createMetrics()
}
