import { join } from 'node:path'
import { AuditBuffer, type AuditLane, type StorageLimits } from '@greeting/directory/audit'
import { AgreedClock } from '@greeting/directory/clock'
import { DirectoryStore, StandbyReads, StoreReversals } from '@greeting/directory/live'
import {
  defaultStorageLimits,
  type RegionalAssertions,
  type StandbyStorage,
  type Storage,
} from '@greeting/directory/storage'
import { readLogExportOptions, type Tracing } from '@greeting/tracing'
import type { Logger } from 'pino'
import { readOwnIssuer } from '../dialect/authority.ts'
import { FederatedIssuers } from '../issuance/federation/federated-issuers.ts'
import { bootstrap, noteStoreCreated } from '../management/bootstrap/bootstrap.ts'
import { seedDirectory } from '../seed/seed-empty-directory.ts'
import { openKeys, requireStoredKeys, standbyKeyRing } from '../signing/open-keys.ts'
import type { Metrics } from '../telemetry/metrics/metrics.ts'
import type { ServiceEnvironment } from './environment.ts'
import type { OpenListeners } from './listeners.ts'
import { keySchedule, type Settings } from './settings.ts'

/** The parts that are open before the service is composed. */
export type OpenedParts = {
  readonly settings: Settings
  readonly log: Logger
  readonly tracing: Tracing | undefined
  /** Undefined when there is no listener for metrics. */
  readonly metrics: Metrics | undefined
  readonly listeners: OpenListeners
  readonly storage: Storage
  /** A standby of the storage; undefined when the settings name none. */
  readonly standby: StandbyStorage | undefined
  /** The used assertions of the region; undefined when the storage has them. */
  readonly regionalAssertions: RegionalAssertions | undefined
  readonly environment: ServiceEnvironment
  /** Whether the storage may lack registrations and an administrator. */
  readonly isStart: boolean
  /** False when the service has begun to stop. */
  readonly isReady: () => boolean
}

/** Everything between the storage and the listeners. */
export type ServiceParts = Awaited<ReturnType<typeof openParts>>

/**
 * Opens everything between the storage and the listeners.
 *
 * @param stack releases the parts, in the reverse order
 */
export async function openParts(opened: OpenedParts, stack: AsyncDisposableStack) {
  const { settings, environment } = opened
  const auditExport = await openAuditExport(opened)
  stack.defer(async () => auditExport?.stop())
  const storage = auditExport?.storage ?? opened.storage
  // 1. Clock, registrations, administrator and signing keys
  const store = await openStore({ ...opened, storage })
  // 2. Audit log and other issuers
  const auditBuffer = new AuditBuffer({
    audit: storage.audit,
    uses: storage.credentialUses,
    onRecord: auditExport?.offer,
    unstored: lanesWithoutRecords(settings),
    now: environment.runtime.now,
  })
  stack.defer(() => auditBuffer.flush())
  const issuers = openIssuers(opened, store)
  stack.defer(() => issuers.stop())
  return { ...opened, storage, ...store, auditBuffer, auditExport, issuers }
}

/** Opens the directory and the keys. A start also adds what an empty storage lacks. */
async function openStore(opened: OpenedParts) {
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
    await requireStoredKeys(settings, storage.keyRing, clock)
    if ((await clock.agreedTime()) !== undefined) await listeners.renewCertificate()
    await seedDirectory(directory, settings, environment.runtime, log)
    await ensureAdministrator(opened, directory, clock)
  }
  if (standbyReads !== undefined) {
    await directory.refresh()
    const agreed = await clock.agreedTime()
    // No copy from before this start has this heartbeat. The time of another server may be later.
    if (agreed !== undefined) await storage.beat(agreed.date, -60_000)
    await standbyReads.compare()
  }
  const { keys, keyEncryptionKey } = await openKeys(settings, environment.testKeys, {
    store:
      standbyReads && opened.standby
        ? standbyKeyRing(storage.keyRing, opened.standby.keyRing, standbyReads)
        : storage.keyRing,
    schedule: keySchedule(settings),
    agreedTime: clock.agreedTime,
    now,
    generate: environment.generateKey,
    onReversal: (followed, latest) => reversals.note('signing-keys', followed, latest),
  })
  if (isStart) await noteStoreCreated(settings.DATA_DIR)
  /** What tokens are issued from: the directory, also while the store is unavailable. */
  const issued: Pick<DirectoryStore, 'read' | 'readLastKnown'> = standbyReads ?? directory
  return { reversals, directory, issued, standbyReads, clock, keys, keyEncryptionKey }
}

/** Creates an administrator if the directory has none, or if the settings require a new one. */
async function ensureAdministrator(
  { settings, environment, log, listeners }: OpenedParts,
  store: DirectoryStore,
  { latestAgreed }: AgreedClock,
): Promise<void> {
  const { DATA_DIR: dataDir, NEW_ADMINISTRATOR, TENANT_ID } = settings
  const { runtime } = environment
  const { authUrl } = listeners.first.authority
  const isCreated = await bootstrap({
    store,
    dataDir,
    authUrl,
    graphUrl: authUrl,
    firstTenant: {
      id: TENANT_ID ?? runtime.newGuid(),
      displayName: 'Default Directory',
      domains: [],
    },
    anotherAdministrator: NEW_ADMINISTRATOR === 'yes',
    latestAgreed,
    runtime,
    onStaleFile: (err) =>
      log.warn({ err }, 'administrator.env has an earlier address of this server'),
  })
  if (isCreated) log.info({ file: join(dataDir, 'administrator.env') }, 'administrator created')
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

/** The issuers whose tokens can be credentials: those that the settings permit, the lab, and this server. */
function openIssuers(
  { settings, listeners, tracing, environment }: OpenedParts,
  { issued, keys }: Awaited<ReturnType<typeof openStore>>,
): FederatedIssuers {
  const { runtime, testKeys, lab } = environment
  const fetchKeys = tracing?.traceFetch(fetch) ?? fetch
  const findOwn = async (issuer: string) => {
    const [own] = listeners.all.flatMap(({ authority }) => readOwnIssuer(authority, issuer) ?? [])
    const tenant = own && (await issued.read((current) => current.tenant(own.tenantId)))
    if (own) await keys.refreshIfOld()
    return tenant?.id === own?.tenantId ? own : undefined
  }
  return new FederatedIssuers({
    own: { find: findOwn, publishedKeys: () => keys.published() },
    allowedHosts: [...settings.FEDERATED_ISSUER_HOSTS, ...(lab ? [lab.federation.host] : [])],
    runtime: {
      wallClockMs: () => runtime.now().getTime(),
      fetch: lab?.federation.through(fetchKeys) ?? fetchKeys,
    },
    testKeys,
  })
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
