import type { Fetch } from '@greeting/http-service'
import { isLoopback, isTrustworthy } from '@greeting/portal/addresses'
import { createApp } from '../app.ts'
import type { Authority } from '../dialect/authority.ts'
import { type AppFetch, loadAtFirstRequest } from '../endpoints/load-at-first-request.ts'
import type { Log, ServiceOptions } from '../endpoints/service-options.ts'
import { recordUse } from '../endpoints/token-endpoint.ts'
import { maxPossessionSeconds } from '../issuance/assertion.ts'
import type { ManagementAppsOptions } from '../management/create-apps.ts'
import { loadManagementApps } from '../management/load-apps.ts'
import type { ServiceParts } from './service-parts.ts'
import type { Settings } from './settings.ts'

/** Creates a separate app for each listener, because documents contain the URL of their listener. */
export function mountApps(parts: ServiceParts, options: Omit<ServiceOptions, 'authority'>): void {
  for (const { listener, authority } of parts.listeners.all) {
    const build = () => createHandler(parts, { ...options, authority })
    // A start builds all, so that it shows every fault. A reset of the lab builds those that get a request.
    let handle = parts.isStart ? build() : undefined
    listener.answerWith((request, bindings) => {
      handle ??= build()
      return handle(request, bindings)
    })
  }
}

/** The app of one listener. Most servers get no request for the management APIs and for the portal. */
function createHandler(parts: ServiceParts, service: ServiceOptions): Fetch {
  const { settings, listeners, storage, keys, keyEncryptionKey, log } = parts
  const { lab } = parts.environment
  const { authority } = service
  const management = {
    ...managementOptions(parts, authority),
    possessionRules: possessionRules(service),
  }
  const loadManagement = async (options: ManagementAppsOptions) =>
    (await loadManagementApps()).createManagementApps(options)
  const withCurrentKeys =
    (answer: AppFetch): AppFetch =>
    async (request, env) => {
      await keys.refreshIfOld()
      return answer(request, env)
    }
  const portal = isPortalOn(settings, authority, log)
    ? loadAtFirstRequest(async () => {
        const { createPortal } = await import('@greeting/portal')
        const { portalCallerOf, portalHost } = await import('../portal-host/portal-host.ts')
        const portalLab = lab?.portalLab(authority, portalCallerOf)
        const host = portalHost({
          service,
          management: await loadManagement({ ...management, authenticate: portalCallerOf }),
          labOperations: portalLab?.operations,
          keyEncryptionKey,
          usedUp: storage.assertions,
          httpsAuthUrl: listeners.https?.authority.authUrl,
          metricsUrl: listeners.metrics?.url,
          requestToken: (request) => app.fetch(request),
          lab: portalLab,
        })
        return createPortal(host)
      })
    : undefined
  const app: ReturnType<typeof createApp> = createApp(
    service,
    withCurrentKeys(loadAtFirstRequest(() => loadManagement(management))),
    portal && withCurrentKeys(portal),
  )
  return lab?.handlerOf(app, authority) ?? app.fetch
}

/** A proof has no ID, so its signed part is the name of its use. */
const possessionRules = (service: ServiceOptions): ManagementAppsOptions['possessionRules'] => {
  const { assertions, assertionTimes, source } = service
  const times = { ...assertionTimes, maxLifetimeSeconds: maxPossessionSeconds }
  return {
    clockToleranceSeconds: times.clockToleranceSeconds,
    recordUse:
      assertions &&
      ((objectId, proof) => {
        const signedPart = proof.token.slice(0, proof.token.lastIndexOf('.'))
        const options = { ...service, assertionTimes: times }
        return recordUse(options, objectId, signedPart, proof, source.now())
      }),
  }
}

/** The options of the management APIs at one listener. */
function managementOptions(
  parts: ServiceParts,
  { authUrl, issuerUrl }: Authority,
): ManagementAppsOptions {
  const { settings, log, clock, auditBuffer } = parts
  const { runtime, testKeys } = parts.environment
  return {
    baseUrl: authUrl,
    origins: parts.listeners.all.map(({ authority }) => authority.authUrl),
    issuerUrls: [issuerUrl],
    store: parts.directory,
    storage: parts.storage,
    keys: parts.keys,
    keyEncryptionKey: parts.keyEncryptionKey,
    testKeys,
    visibilityDelaySeconds: settings.VISIBILITY_DELAY_SECONDS,
    retentionDays: settings.DELETED_ITEMS_RETENTION_DAYS,
    latestAgreed: () => clock.latestAgreed,
    recordRefusal: (record) => auditBuffer.record(record, 'refusedChanges'),
    report: (err, exchange) => log.error({ err, ...exchange }, 'management request failed'),
    warn: ({ fields, message }, exchange) => log.warn({ ...fields, ...exchange }, message),
    runtime,
  }
}

/**
 * True if a listener serves the portal. By default, only a server that no other machine can reach
 * serves it. Behind a proxy, the public URL of the server is not on loopback.
 */
export function isPortalOn(
  { PORTAL, HOST }: Pick<Settings, 'PORTAL' | 'HOST'>,
  { authUrl }: Pick<Authority, 'authUrl'>,
  log: Pick<Log, 'warn'>,
): boolean {
  const isLocal = isLoopback(`http://${HOST.includes(':') ? `[${HOST}]` : HOST}`)
  if (PORTAL !== 'on') return PORTAL === undefined && isLocal && isLoopback(authUrl)
  if (isTrustworthy(authUrl)) return true
  log.warn({ authUrl }, 'the portal is off at this address: it needs HTTPS')
  return false
}
