import type { WorkerLink } from '@greeting/http-service'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { Authority } from './dialect/authority.ts'
import { systemRuntime } from './directory/runtime.ts'
import { FederatedIssuers } from './federation/federated-issuers.ts'
import { reportCountedRefusals } from './http/counted-refusals.ts'
import { FailedLoginRateLimit } from './http/failed-login-rate-limit.ts'
import { createMetrics } from './http/metrics.ts'
import { randomPool } from './http/random-pool.ts'
import type { ServiceOptions } from './http/service-options.ts'
import { TrustedProxies } from './http/trusted-proxies.ts'
import { openListeners } from './listeners.ts'
import { createManagementApps } from './management/create-apps.ts'
import type { Authenticate } from './management/http/caller.ts'
import { portalCallerOf } from './portal/api/in-process-graph.ts'
import { createPortal } from './portal/portal-app.ts'
import type { Settings } from './settings.ts'
import { ensureAdministrator } from './startup/ensure-administrator.ts'
import { isPortalOn } from './startup/is-portal-on.ts'
import { openKeys } from './startup/open-keys.ts'
import { seedDirectory } from './startup/seed-directory.ts'
import { startBackgroundTasks } from './startup/start-background-tasks.ts'
import { storageLimits } from './startup/storage-limits.ts'
import { AuditBuffer } from './storage/audit-buffer.ts'
import { DirectoryStore } from './storage/directory-store.ts'
import { openStorage } from './storage/storage.ts'
import { StoreReversals } from './storage/store-reversals.ts'

/** A running identity provider. */
export type Service = {
  /** The origin of the HTTP listener, or of the HTTPS listener when HTTP is off. */
  readonly url: string
  /** The origin of the HTTPS listener; `undefined` when HTTPS is off. */
  readonly httpsUrl: string | undefined
  /** Reports that the service is not ready, answers the running requests and writes the audit log. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the identity provider. A failed start leaves no open listener and no partial change.
 *
 * @param link connects a worker to the primary process
 * @throws {Error} with a sentence for the operator, or with Node's `code`
 */
export async function startService(
  settings: Settings,
  log: Logger,
  link?: WorkerLink,
): Promise<Service> {
  // 1. Listeners: a port in use must change nothing else
  const listeners = await openListeners(settings, systemRuntime.now, log)
  const resources = new AsyncDisposableStack()
  const stop = async () => {
    await Promise.all(listeners.all.map(({ listener }) => listener.stop()))
    await resources.disposeAsync()
  }
  try {
    // 2. Storage
    const storage = await openStorage({
      dataDir: settings.DATA_DIR,
      databaseUrl: settings.DATABASE_URL,
      limits: storageLimits(settings),
    })
    const metrics = createMetrics(storage, storageLimits(settings), link)
    resources.defer(() => storage.close())
    const reversals = new StoreReversals({ report: (fields, text) => log.error(fields, text) })
    const directory = new DirectoryStore({
      log: storage.directory,
      maxCacheWeight: settings.DIRECTORY_CACHE_OBJECTS,
      onReversal: (followed, latest) => reversals.note('directory', followed, latest),
    })

    // 3. Registrations, administrator and signing keys
    await seedDirectory(settings, directory, log)
    if (link?.isFirst !== false) {
      await ensureAdministrator(settings, directory, listeners.first.authority, log)
    }
    const { keys, keyEncryptionKey } = await openKeys(settings, storage, reversals)

    // 4. Audit log and other issuers
    const auditBuffer = new AuditBuffer({ audit: storage.audit, uses: storage.credentialUses })
    resources.defer(() => auditBuffer.flush())
    const issuers = new FederatedIssuers({ allowedHosts: settings.FEDERATED_ISSUER_HOSTS })
    resources.defer(() => issuers.stop())

    // 5. Options of the token service and of the management APIs
    let isStopping = false
    const perWorker = (limit: number) => Math.ceil(limit / settings.WORKERS)
    const origins = listeners.all.map(({ authority }) => authority.authUrl)
    const options: Omit<ServiceOptions, 'authority'> = {
      origins,
      directory,
      keys: {
        sign: (claims, keyMembers) => keys.sign(claims, keyMembers),
        published: () => keys.published(),
      },
      lifetime: {
        backdatingSeconds: settings.TOKEN_BACKDATING_SECONDS,
        shortestSeconds: settings.TOKEN_LIFETIME_SECONDS.shortest,
        longestSeconds: settings.TOKEN_LIFETIME_SECONDS.longest,
      },
      assertionTimes: {
        clockToleranceSeconds: settings.CLOCK_TOLERANCE_SECONDS,
        maxLifetimeSeconds: settings.ASSERTION_LIFETIME_SECONDS,
      },
      assertions: settings.ASSERTION_USE === 'once' ? storage.assertions : undefined,
      storeWentBackAt: () => reversals.latestAt,
      verifyFederated: issuers.verify,
      throttle: new FailedLoginRateLimit({
        // Each worker counts the requests of its own connections.
        perClientPerMinute: perWorker(settings.WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE),
        perSourcePerMinute: perWorker(settings.WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE),
      }),
      trustedProxies: new TrustedProxies(settings.TRUSTED_PROXIES),
      audit: auditBuffer.record,
      noteUse: auditBuffer.noteUse,
      isReady: () => !isStopping,
      metrics,
      log,
      source: systemRuntime,
      randomBytes: randomPool(systemRuntime.randomBytes),
    }
    const managementApps = ({ authUrl, issuerUrl }: Authority, authenticate?: Authenticate) =>
      createManagementApps({
        ...(authenticate && { authenticate }),
        baseUrl: authUrl,
        origins,
        issuerUrls: [issuerUrl],
        store: directory,
        storage,
        keys,
        keyEncryptionKey,
        visibilityDelaySeconds: settings.VISIBILITY_DELAY_SECONDS,
        retentionDays: settings.DELETED_ITEMS_RETENTION_DAYS,
        recordRefusal: (record) => auditBuffer.record(record, 'refusedChanges'),
        report: (err, exchange) => log.error({ err, ...exchange }, 'management request failed'),
        runtime: systemRuntime,
      })

    // 6. Background tasks. The last counted refusals are reported before the audit log is written.
    const reportRefusals = async () => reportCountedRefusals(options)
    resources.defer(reportRefusals)
    startBackgroundTasks(
      {
        storage,
        directory,
        keys,
        auditBuffer,
        reversals,
        retentionDays: settings.DELETED_ITEMS_RETENTION_DAYS,
        renewCertificate: listeners.renewCertificate,
        reportCountedRefusals: reportRefusals,
        log,
      },
      resources,
    )

    // 7. Requests
    for (const { listener, authority } of listeners.all) {
      const service = { ...options, authority }
      const portal = isPortalOn(settings, authority, log)
        ? createPortal({
            service,
            management: managementApps(authority, portalCallerOf),
            keyEncryptionKey,
            usedLinks: storage.assertions,
            httpsAuthUrl: listeners.https?.authority.authUrl,
            requestToken: (request) => app.fetch(request),
          })
        : undefined
      const app: ReturnType<typeof createApp> = createApp(
        service,
        managementApps(authority),
        portal,
      )
      listener.answerWith((request, bindings) => app.fetch(request, bindings))
    }
    return {
      url: listeners.first.listener.url,
      httpsUrl: listeners.https?.listener.url,
      stop: () => {
        isStopping = true
        return stop()
      },
    }
  } catch (cause) {
    await stop()
    throw cause
  }
}
