import { type Fetch, metricsFetch, observeRequests, type WorkerLink } from '@greeting/http-service'
import { portalCallerOf } from '@greeting/portal/parts/api/portal-caller'
import { withoutSessionKey } from '@greeting/portal/parts/security/session-key'
import type { Tracing } from '@greeting/tracing'
import type { Logger } from 'pino'
import { createApp } from '../app.ts'
import { AgreedClock } from '../clock/agreed-clock.ts'
import { type Authority, readOwnIssuer } from '../dialect/authority.ts'
import { FederatedIssuers } from '../federation/federated-issuers.ts'
import { reportCountedRefusals } from '../http/counted-refusals.ts'
import { FailedLoginRateLimit } from '../http/failed-login-rate-limit.ts'
import { loadAtFirstRequest } from '../http/load-at-first-request.ts'
import { randomPool } from '../http/random-pool.ts'
import type { ServiceOptions } from '../http/service-options.ts'
import { TrustedProxies } from '../http/trusted-proxies.ts'
import { loadManagementApps } from '../management/load-apps.ts'
import type { Authenticate } from '../management/privileges/caller.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Settings } from '../settings.ts'
import { AuditBuffer } from '../storage/audit-buffer.ts'
import { DirectoryStore } from '../storage/directory-store.ts'
import type { Storage } from '../storage/storage.ts'
import { StoreReversals } from '../storage/store-reversals.ts'
import { ensureAdministrator } from './ensure-administrator.ts'
import type { ServiceEnvironment } from './environment.ts'
import { isPortalOn } from './is-portal-on.ts'
import type { OpenListeners } from './listeners.ts'
import { observedSign, observeTokens } from './observe-tokens.ts'
import { openKeys, requireStoredKeys } from './open-keys.ts'
import { seedDirectory } from './seed-directory.ts'
import { startBackgroundTasks } from './start-background-tasks.ts'
import { storageLimits } from './storage-limits.ts'

export type ComposeServiceOptions = {
  readonly settings: Settings
  readonly log: Logger
  readonly link: WorkerLink | undefined
  readonly tracing: Tracing | undefined
  /** Undefined when there is no listener for metrics. */
  readonly metrics: Metrics | undefined
  readonly listeners: OpenListeners
  readonly storage: Storage
  readonly environment: ServiceEnvironment
  /** Whether the storage may lack registrations and an administrator. */
  readonly isStart: boolean
  /** False when the service has begun to stop. */
  readonly isReady: () => boolean
}

/** The last time that a `Date` can have. */
const endOfTime = new Date(8.64e15)

/**
 * Builds everything between the store and the listeners, and answers their requests.
 *
 * @returns ends the background tasks and writes the audit log; listeners and storage stay open
 * @throws {Error} with a sentence for the operator; then nothing runs in the background
 */
export async function composeService({
  settings,
  log,
  link,
  tracing,
  metrics,
  listeners,
  storage,
  environment,
  isStart,
  isReady,
}: ComposeServiceOptions): Promise<AsyncDisposableStack> {
  const { runtime, testKeys, elapsedMs } = environment
  await using unfinished = new AsyncDisposableStack()
  const reversals = new StoreReversals({
    report: (fields, text) => log.error(fields, text),
    now: runtime.now,
  })
  for (const { log: name, acknowledged, latest } of storage.lostCommits ?? [])
    reversals.note(name, acknowledged, latest)
  const directory = new DirectoryStore({
    log: storage.directory,
    maxCacheWeight: settings.DIRECTORY_CACHE_OBJECTS,
    onReversal: (followed, latest) => reversals.note('directory', followed, latest),
  })

  // 1. Clock, registrations, administrator and signing keys
  const clock = await AgreedClock.open({
    ...{ now: runtime.now, elapsedMs, log },
    readStoreMs: storage.clockMs,
    marks: storage.clockMarks,
  })
  if (isStart) await requireStoredKeys(settings, storage, clock)
  if (isStart && (await clock.agreedTime()) !== undefined) await listeners.renewCertificate()
  if (isStart) await seedDirectory(settings, directory, runtime, log)
  if (isStart && link?.isFirst !== false) {
    await ensureAdministrator(settings, directory, listeners.first.authority, clock, runtime, log)
  }
  const { keys, keyEncryptionKey } = await openKeys(
    settings,
    storage,
    reversals,
    clock,
    environment,
  )

  // 2. Audit log and other issuers
  const auditBuffer = new AuditBuffer({
    audit: storage.audit,
    uses: storage.credentialUses,
    now: runtime.now,
  })
  unfinished.defer(() => auditBuffer.flush())
  const federation = environment.lab?.federation
  const fetchKeys = tracing?.traceFetch(fetch) ?? fetch
  const findOwnIssuer = async (issuer: string) => {
    const [own] = listeners.all.flatMap(({ authority }) => readOwnIssuer(authority, issuer) ?? [])
    const tenant = own && (await directory.read((current) => current.tenant(own.tenantId)))
    return tenant?.id === own?.tenantId ? own : undefined
  }
  const issuers = new FederatedIssuers({
    own: { find: findOwnIssuer, publishedKeys: () => keys.published() },
    allowedHosts: [...settings.FEDERATED_ISSUER_HOSTS, ...(federation ? [federation.host] : [])],
    runtime: {
      wallClockMs: () => runtime.now().getTime(),
      fetch: federation?.through(fetchKeys) ?? fetchKeys,
    },
    testKeys,
  })
  unfinished.defer(() => issuers.stop())

  // 3. Options of the token service and of the management APIs
  const perWorker = (limit: number) => Math.ceil(limit / settings.WORKERS)
  const lifetime = {
    backdatingSeconds: settings.TOKEN_BACKDATING_SECONDS,
    shortestSeconds: settings.TOKEN_LIFETIME_SECONDS.shortest,
    longestSeconds: settings.TOKEN_LIFETIME_SECONDS.longest,
  }
  const origins = listeners.all.map(({ authority }) => authority.authUrl)
  const options: Omit<ServiceOptions, 'authority'> = {
    origins,
    directory,
    keys: {
      sign: observedSign(keys, metrics?.observeSignature, tracing),
      published: () => keys.published(),
    },
    lifetime,
    assertionTimes: {
      clockToleranceSeconds: settings.CLOCK_TOLERANCE_SECONDS,
      maxLifetimeSeconds: settings.ASSERTION_LIFETIME_SECONDS,
    },
    assertions: settings.ASSERTION_USE === 'once' ? storage.assertions : undefined,
    // A clock that is behind makes forgotten assertions valid again.
    storeWentBackAt: () => (clock.isBehind ? endOfTime : reversals.latestAt),
    verifyFederated: issuers.verify,
    throttle: new FailedLoginRateLimit({
      // Each worker counts the requests of its own connections.
      perClientPerMinute: perWorker(settings.WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE),
      perSourcePerMinute: perWorker(settings.WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE),
    }),
    trustedProxies: new TrustedProxies(settings.TRUSTED_PROXIES),
    clientCertProxies: new TrustedProxies(settings.CLIENT_CERT_PROXIES),
    audit: auditBuffer.record,
    noteUse: auditBuffer.noteUse,
    isReady,
    isClockAgreed: () => clock.isReady(),
    observeToken: observeTokens(metrics?.observeToken, tracing),
    observeRequest: observeRequests(tracing, metrics?.observeRequest, withoutSessionKey),
    log,
    source: runtime,
    randomBytes: randomPool(runtime.randomBytes),
  }
  const loadManagement = async ({ authUrl, issuerUrl }: Authority, authenticate?: Authenticate) => {
    const { createManagementApps } = await loadManagementApps()
    return createManagementApps({
      ...(authenticate && { authenticate }),
      baseUrl: authUrl,
      origins,
      issuerUrls: [issuerUrl],
      store: directory,
      storage,
      keys,
      keyEncryptionKey,
      testKeys,
      visibilityDelaySeconds: settings.VISIBILITY_DELAY_SECONDS,
      retentionDays: settings.DELETED_ITEMS_RETENTION_DAYS,
      latestAgreed: () => clock.latestAgreed,
      recordRefusal: (record) => auditBuffer.record(record, 'refusedChanges'),
      report: (err, exchange) => log.error({ err, ...exchange }, 'management request failed'),
      warn: ({ fields, message }, exchange) => log.warn({ ...fields, ...exchange }, message),
      runtime,
    })
  }

  // 4. Background tasks. The last counted refusals are reported before the audit log is written.
  const reportRefusals = async () => reportCountedRefusals(options)
  unfinished.defer(reportRefusals)
  startBackgroundTasks(
    {
      storage,
      directory,
      keys,
      auditBuffer,
      reversals,
      clock,
      retentionDays: settings.DELETED_ITEMS_RETENTION_DAYS,
      renewCertificate: listeners.renewCertificate,
      reportCountedRefusals: reportRefusals,
      runtime,
      log,
    },
    unfinished,
  )

  // 5. Metrics
  if (metrics !== undefined) {
    const { registry } = metrics
    metrics.watch({
      directory,
      keys,
      storage: {
        ...{ usage: storage.usage, limits: storageLimits(settings) },
        clock,
        ...{ reversals: () => reversals.count, auditBacklog: () => auditBuffer.backlog },
      },
      maxCacheWeight: settings.DIRECTORY_CACHE_OBJECTS,
      now: runtime.now,
    })
    link?.reportMetrics(registry)
    const read = link?.readAllMetrics ?? (() => registry.metrics())
    listeners.metrics?.answerWith(metricsFetch(read))
  }

  // 6. Requests
  environment.lab?.connect({
    directory,
    keys,
    keyRing: storage.keyRing,
    keyEncryptionKey,
    lifetime,
    testKeys,
    authority: listeners.first.authority,
  })
  for (const { listener, authority } of listeners.all) {
    const build = (): Fetch => {
      const service = { ...options, authority }
      const portal = isPortalOn(settings, authority, log)
        ? loadAtFirstRequest(async () => {
            const { createPortal } = await import('@greeting/portal/parts/portal-app')
            return createPortal({
              service,
              management: await loadManagement(authority, portalCallerOf),
              keyEncryptionKey,
              usedUp: storage.assertions,
              httpsAuthUrl: listeners.https?.authority.authUrl,
              metricsUrl: listeners.metrics?.url,
              requestToken: (request) => app.fetch(request),
              lab: environment.lab?.portalLab(authority, portalCallerOf),
            })
          })
        : undefined
      const app: ReturnType<typeof createApp> = createApp(
        service,
        loadAtFirstRequest(() => loadManagement(authority)),
        portal,
      )
      return environment.lab?.handlerOf(app, authority) ?? app.fetch
    }
    // A start builds all, so that it shows every fault. A reset of the lab builds those that get a request.
    let handle = isStart ? build() : undefined
    listener.answerWith((request, bindings) => {
      handle ??= build()
      return handle(request, bindings)
    })
  }
  return unfinished.move()
}
