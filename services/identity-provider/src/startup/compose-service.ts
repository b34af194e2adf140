// Folder: Composes the service from its settings, its storage and its listeners.

import { AuditBuffer, type AuditLane, type StorageLimits } from '@greeting/directory/audit'
import { AgreedClock } from '@greeting/directory/clock'
import { DirectoryStore, StandbyReads, StoreReversals } from '@greeting/directory/live'
import { defaultStorageLimits } from '@greeting/directory/storage'
import { metricsFetch } from '@greeting/http-service'
import { readLogExportOptions } from '@greeting/tracing'
import { reportCountedRefusals } from '../endpoints/counted-refusals.ts'
import { ensureAdministrator, noteStoreCreated, seedDirectory } from './first-start.ts'
import { mountApps } from './mount-apps.ts'
import { openKeys, requireStoredKeys } from './open-keys.ts'
import type { OpenedParts, OpenedStore, ServiceParts } from './service-parts.ts'
import type { Settings } from './settings.ts'
import { standbyKeyRing } from './standby-key-ring.ts'
import { startBackgroundTasks } from './start-background-tasks.ts'
import { openIssuers, tokenLifetime, tokenOptions } from './token-options.ts'

/**
 * Builds everything between the storage and the listeners, and handles their requests.
 *
 * @returns ends the background tasks and writes the audit log; listeners and storage stay open
 * @throws {Error} with a sentence for the operator; then nothing runs in the background
 */
export async function composeService(opened: OpenedParts): Promise<AsyncDisposableStack> {
  const { settings, listeners, environment, log } = opened
  const { runtime, testKeys } = environment
  await using unfinished = new AsyncDisposableStack()
  const auditExport = await openAuditExport(opened)
  unfinished.defer(async () => auditExport?.stop())
  const storage = auditExport?.storage ?? opened.storage
  // 1. Clock, registrations, administrator and signing keys
  const store = await openStore({ ...opened, storage })
  const { directory, keys, keyEncryptionKey } = store

  // 2. Audit log and other issuers
  const auditBuffer = new AuditBuffer({
    audit: storage.audit,
    uses: storage.credentialUses,
    onRecord: auditExport?.offer,
    unstored: lanesWithoutRecords(settings),
    now: runtime.now,
  })
  unfinished.defer(() => auditBuffer.flush())
  const issuers = openIssuers(opened, store)
  unfinished.defer(() => issuers.stop())

  // 3. Options of the token service
  const parts: ServiceParts = { ...opened, storage, ...store, auditBuffer, auditExport, issuers }
  const options = tokenOptions(parts)

  // 4. Background tasks. The last counted refusals are reported before the audit log is written.
  const reportRefusals = async () => reportCountedRefusals(options)
  unfinished.defer(reportRefusals)
  startBackgroundTasks(
    {
      ...store,
      storage,
      regionalAssertions: opened.regionalAssertions,
      hasDatabase: settings.DATABASE_URL !== undefined,
      auditBuffer,
      retentionDays: settings.DELETED_ITEMS_RETENTION_DAYS,
      renewCertificate: listeners.renewCertificate,
      reportCountedRefusals: reportRefusals,
      runtime,
      log,
    },
    unfinished,
  )

  // 5. Metrics
  answerMetrics(parts)

  // 6. Requests
  environment.lab?.connect({
    directory,
    keys,
    keyRing: storage.keyRing,
    keyEncryptionKey,
    lifetime: tokenLifetime(settings),
    testKeys,
    authority: listeners.first.authority,
  })
  mountApps(parts, options)
  return unfinished.move()
}

/** Opens the directory and the keys. A start also adds what an empty storage lacks. */
async function openStore(opened: OpenedParts): Promise<OpenedStore> {
  const { settings, storage, listeners, environment, log, isStart } = opened
  const { now } = environment.runtime
  const reversals = new StoreReversals({ report: (fields, text) => log.error(fields, text), now })
  for (const { log: name, acknowledged, latest } of storage.lostCommits ?? [])
    reversals.note(name, acknowledged, latest)
  const directory = new DirectoryStore({
    log: storage.directory,
    maxCacheWeight: settings.DIRECTORY_CACHE_OBJECTS,
    maxTenantObjects: settings.MAX_TENANT_OBJECTS,
    onReversal: (followed, latest) => reversals.note('directory', followed, latest),
  })
  const standbyReads =
    opened.standby &&
    new StandbyReads({
      directory,
      log: storage.directory,
      lastBeat: storage.lastBeat,
      standby: opened.standby,
      onReversal: (read, latest) => reversals.note('directory', read, latest),
      maxStalenessSeconds: settings.DATABASE_READ_STALENESS_SECONDS,
      maxCacheWeight: settings.DIRECTORY_CACHE_OBJECTS,
      now,
      report: (fields, text) => log.warn(fields, text),
    })
  const clock = await AgreedClock.open({
    now,
    elapsedMs: environment.elapsedMs,
    log,
    readStoreMs: storage.clockMs,
    marks: storage.clockMarks,
  })
  if (isStart) {
    await requireStoredKeys(settings, storage, clock)
    if ((await clock.agreedTime()) !== undefined) await listeners.renewCertificate()
    await seedDirectory(opened, directory)
    await ensureAdministrator(opened, directory, clock)
  }
  if (standbyReads !== undefined) {
    await directory.refresh()
    const agreed = await clock.agreedTime()
    // No copy from before this start has this heartbeat. The time of another server may be later.
    if (agreed !== undefined) await storage.beat(agreed.date, -60_000)
    await standbyReads.compare()
  }
  const keyRing =
    standbyReads && opened.standby
      ? standbyKeyRing(storage.keyRing, opened.standby.keyRing, standbyReads)
      : storage.keyRing
  const opener = await openKeys(settings, { keyRing }, reversals, clock, environment)
  if (isStart) await noteStoreCreated(settings.DATA_DIR)
  return { reversals, directory, issued: standbyReads ?? directory, standbyReads, clock, ...opener }
}

/** The export of audit records, whose code is loaded only when there is one. */
async function openAuditExport({ settings, storage, environment, log }: OpenedParts) {
  if (settings.AUDIT_EXPORT.length === 0) return undefined
  const { AuditExport } = await import('../telemetry/audit-export/audit-export.ts')
  return new AuditExport({
    targets: settings.AUDIT_EXPORT,
    collector: readLogExportOptions(settings, 'identity-provider'),
    run: environment.runtime.newGuid(),
    storage,
    log,
  })
}

/** Answers requests for metrics. */
function answerMetrics({ metrics, listeners, settings, ...parts }: ServiceParts): void {
  if (metrics === undefined) return
  const { registry } = metrics
  const isAlone = settings.DATABASE_URL === undefined
  metrics.watch({
    directory: parts.directory,
    keys: parts.keys,
    storage: {
      usage: parts.storage.usage,
      limits: storageLimits(settings),
      clock: parts.clock,
      standby: () => parts.standbyReads?.state,
      reversals: () => parts.reversals.count,
      auditBacklog: () => parts.auditBuffer.backlog,
      auditExport: () => parts.auditExport?.figures ?? {},
    },
    maxCacheWeight: settings.DIRECTORY_CACHE_OBJECTS,
    maxTenantObjects: settings.MAX_TENANT_OBJECTS,
    certificateEnd: listeners.certificateEnd,
    now: parts.environment.runtime.now,
  })
  listeners.metrics?.answerWith(
    metricsFetch(async () => {
      // Nothing else reads a file at rest, and the ages would grow.
      if (isAlone) await Promise.allSettled([parts.directory.refresh(), parts.keys.refresh()])
      return registry.metrics()
    }),
  )
}

const lanesWithoutRecords = (settings: Settings): ReadonlySet<AuditLane> => {
  const { records } = storageLimits(settings)
  return new Set((Object.keys(records) as AuditLane[]).filter((lane) => records[lane] === 0))
}

/** The limits of the store that the settings contain. */
export const storageLimits = (settings: Settings): StorageLimits => ({
  ...defaultStorageLimits,
  records: {
    signIns: settings.MAX_SIGN_IN_RECORDS,
    unauthenticated: settings.MAX_UNAUTHENTICATED_RECORDS,
    refusedChanges: settings.MAX_REFUSED_CHANGE_RECORDS,
  },
  usedAssertions: settings.MAX_USED_ASSERTIONS,
})
