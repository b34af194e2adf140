import { createGuard, describeResource, entra, type Runtime } from '@greeting/guard'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { roles } from './greetings.ts'
import { logGuardEvents } from './guard-log.ts'
import { type Listen, listen } from './http-server.ts'
import { createMetrics } from './metrics.ts'
import type { Settings } from './settings.ts'

/** A greeting API that runs. */
export type Service = {
  readonly url: string
  /** Finishes what is in hand; from now on it says that it is not ready. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the greeting API as its settings say: listens, begins to fetch keys, answers.
 *
 * @param runtime what stands in for the guard's clocks and its `fetch`
 * @param listenWith what stands in for Node's server, where the app runs on another platform
 * @throws {Error} with Node's `code` when the address cannot be listened at
 */
export async function startService(
  settings: Settings,
  log: Logger,
  runtime: Partial<Runtime> = {},
  listenWith: Listen = listen,
): Promise<Service> {
  const server = await listenWith(settings.HOST, settings.PORT)
  const baseUrl = settings.BASE_URL ?? server.url
  const scope = `api://${settings.API_APPLICATION_ID}/.default`
  const resourceMetadata = describeResource({
    resource: baseUrl,
    authorizationServers: [`${settings.AUTH_URL}/${settings.TENANT_ID}/v2.0`],
    scopes: [scope],
    name: 'Greeting API',
    documentation: `${baseUrl}/docs`,
  })
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
  let stopping = false
  const app = createApp({
    guard,
    place: {
      baseUrl,
      tokenUrl: `${settings.AUTH_URL}/${settings.TENANT_ID}/oauth2/v2.0/token`,
      scope,
    },
    resourceMetadata,
    metrics,
    isStopping: () => stopping,
    log,
  })
  server.answerWith((request, bindings) => app.fetch(request, bindings))
  void guard.start()
  return {
    url: server.url,
    stop: async () => {
      stopping = true
      await server.stop()
      guard.stop()
    },
  }
}
