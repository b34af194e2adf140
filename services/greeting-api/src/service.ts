import { createGuard, describeResource, entra, type Runtime } from '@greeting/guard'
import { type Listen, listen, type WorkerLink } from '@greeting/http-service'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { roles } from './greetings.ts'
import { logGuardEvents } from './guard-log.ts'
import { createMetrics } from './metrics.ts'
import { openSecureListener } from './secure-listener.ts'
import type { Settings } from './settings.ts'

/** A running greeting API. */
export type Service = {
  readonly url: string
  /** The origin of the HTTPS listener; `undefined` when HTTPS is off. */
  readonly httpsUrl: string | undefined
  /** Reports that the service is not ready, and answers the running requests. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the greeting API: opens the listener, answers requests and begins to fetch the keys.
 *
 * @param link connects a worker to the primary process
 * @param runtime replaces the clocks and the `fetch` of the guard
 * @param openListener replaces Node's server on another platform
 * @throws {TlsFilesError} tls_files_unusable when the certificate of HTTPS cannot be used
 * @throws {Error} with Node's `code` when a listener cannot be opened
 */
export async function startService(
  settings: Settings,
  log: Logger,
  link?: WorkerLink,
  runtime: Partial<Runtime> = link === undefined ? {} : { fetch: link.fetch },
  openListener: Listen = listen,
): Promise<Service> {
  // 1. Listeners and public addresses
  const listener = await openListener(settings.HOST, settings.PORT, {
    keepAliveTimeout: settings.KEEP_ALIVE_SECONDS * 1000,
  })
  const secureListener = await openSecureListener(settings, log).catch(async (cause) => {
    await listener.stop()
    throw cause
  })
  const baseUrl = settings.BASE_URL ?? listener.url
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
  const metrics = createMetrics()
  const logEvent = logGuardEvents(log)
  const guard = createGuard(
    entra({
      tenantId: settings.TENANT_ID,
      apiApplicationId: settings.API_APPLICATION_ID,
      authUrl: settings.AUTH_URL,
      issuerUrl: settings.ISSUER_URL,
      keySetUrl: settings.JWKS_URL,
      tokenVersions: settings.TOKEN_VERSIONS,
      clockToleranceSeconds: settings.CLOCK_TOLERANCE_SECONDS,
      testKeys: settings.TEST_KEYS,
      maxCachedTokens: settings.REMEMBERED_TOKENS,
      certificateBinding: settings.CERTIFICATE_BINDING,
      roles,
      realm: 'greeting-api',
      resourceMetadataUrl: resourceMetadata.url,
      listener: (event) => {
        metrics.listener(event)
        logEvent(event)
      },
    }),
    runtime,
  )
  metrics.watch(guard)
  link?.reportMetrics(metrics.registry)
  // The guard fetches again, and gets the response that another worker has fetched.
  link?.onSharedFetch(() => void guard.start())

  // 3. Requests
  let isStopping = false
  const app = createApp({
    guard,
    addresses: { baseUrl, tokenUrl: `${tenantUrl}/oauth2/v2.0/token`, scope },
    resourceMetadata,
    readMetrics: link?.readAllMetrics ?? (() => metrics.registry.metrics()),
    isStopping: () => isStopping,
    log,
  })
  for (const one of [listener, secureListener])
    one?.answerWith((request, bindings) => app.fetch(request, bindings))
  void guard.start()
  return {
    url: listener.url,
    httpsUrl: secureListener?.url,
    stop: async () => {
      isStopping = true
      await Promise.all([listener.stop(), secureListener?.stop()])
      guard.stop()
    },
  }
}
