// Folder: Adapters store the directory and the signing keys, and make no decisions.

import { existsSync, statSync } from 'node:fs'
import { lstat, mkdtemp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditTrail } from '../audit/audit-trail.ts'
import type { CredentialUses } from '../audit/credential-uses.ts'
import type { FindEndingCredentials } from '../audit/ending-credentials.ts'
import type { ReplayCache } from '../audit/replay-cache.ts'
import type { StorageLimits, StorageUsage } from '../audit/storage-usage.ts'
import type { AgreedTime } from '../clock/agreed-time.ts'
import type { ClockMarkStore } from '../clock/clock-marks.ts'
import { unless } from '../files/secret-file.ts'
import type { KeyRingStore } from '../keys/key-ring-store.ts'
import type { OnCommit } from '../live/commit.ts'
import type { DirectoryLog } from '../live/directory-log.ts'
import type { Standby } from '../live/standby-reads.ts'
import { StorageUnavailableError } from '../live/storage-unavailable-error.ts'
import { countObjects } from './sql/lists/list-page.ts'
import { countEndingCredentials, findEndingCredentials } from './sql/logs/ending-credentials.ts'
import { SqlAuditTrail } from './sql/logs/sql-audit-trail.ts'
import { SqlCredentialUses } from './sql/logs/sql-credential-uses.ts'
import { SqlDirectoryLog } from './sql/logs/sql-directory-log.ts'
import { beat, lastBeat, sqlClockMarks } from './sql/logs/sql-heartbeat.ts'
import { sqlKeyRingStore } from './sql/logs/sql-key-ring-store.ts'
import { SqlReplayCache } from './sql/logs/sql-replay-cache.ts'
import type { ObserveQuery, SqlDatabase } from './sql/sql-database.ts'
import {
  AcknowledgedCommits,
  acknowledgedFile,
  type LostCommit,
} from './sqlite/acknowledged-commits.ts'
import { openUnchanged } from './sqlite/sqlite-connection.ts'
import { openSqliteDatabase, sqliteDatabase } from './sqlite/sqlite-database.ts'
import { isDamage, sqliteFaultOf } from './sqlite/sqlite-fault.ts'
import { companions } from './sqlite/sqlite-file.ts'
import type { NewWorker } from './sqlite/sqlite-thread.ts'

/** The ports of everything that a server stores. */
export type Storage = {
  readonly directory: DirectoryLog
  readonly keyRing: KeyRingStore
  readonly assertions: ReplayCache
  readonly credentialUses: CredentialUses
  readonly audit: AuditTrail
  readonly findEndingCredentials: FindEndingCredentials
  /**
   * Deletes what exceeds a limit, what nothing refers to, and what has expired. The owner must call it every few
   * minutes.
   *
   * @param now decides what the figures of `usage` count
   * @param agreed decides what has expired; undefined while the clock may be wrong, and then nothing has
   * @param signal ends a long cleanup early; the next one continues
   * @throws {DOMException} AbortError when the signal ended it
   */
  tidy(now: Date, agreed: AgreedTime | undefined, signal?: AbortSignal): Promise<void>
  /** What the store contains, as of the last `tidy`. */
  readonly usage: () => StorageUsage
  /** The time of the store in epoch milliseconds; undefined when it has no clock. */
  readonly clockMs: () => Promise<number | undefined>
  readonly clockMarks: ClockMarkStore
  /** Writes the time of this server, from which a standby has its age, if the latest one is `everyMs` old. */
  readonly beat: (now: Date, everyMs?: number) => Promise<void>
  readonly lastBeat: Standby['lastBeat']
  /** The logs that lack an acknowledged commit since the last start, and are used nevertheless. */
  readonly lostCommits?: readonly LostCommit[] | undefined
  close(): Promise<void>
}

export type StorageOptions = {
  /** The folder of the data file, which is used without a `databaseUrl`. */
  readonly dataDir: string
  /** `postgres://...` of a database that replicas share; undefined for the data file. */
  readonly databaseUrl?: string | undefined
  readonly limits?: StorageLimits
  /** The tenants whose objects `usage` has; default none. */
  readonly countedTenants?: readonly string[] | undefined
  /** Called after each access to the store. */
  readonly observe?: ObserveQuery | undefined
  /** Starts the thread of a connection to the data file; default a worker thread of Node. */
  readonly newWorker?: NewWorker | undefined
  /** Files in `dataDir` that a server writes only when its store has a tenant; default none. */
  readonly traces?: readonly string[]
  /** Whether a store that is lost, or lacks acknowledged changes, is refused, the default, or opened. */
  readonly lostChanges?: 'refuse' | 'accept'
}

/** The default limits: two years of changes, three months of sign-ins, and a number of records for each lane. */
export const defaultStorageLimits: StorageLimits = {
  directoryDays: 730,
  signInDays: 90,
  records: { signIns: 1_000_000, unauthenticated: 100_000, refusedChanges: 100_000 },
  usedAssertions: 1_000_000,
}

const dataFileName = 'greeting.sqlite'
const logFiles = companions.map((end) => `${dataFileName}${end}`)

/** The fault of a store that may be lost. A damaged one has its own fault when it is opened. */
async function lackOf(file: string, url: string | undefined): Promise<string | undefined> {
  if (url === undefined && !existsSync(file)) return `The data file ${file} is missing`
  try {
    if (url === undefined && statSync(file).size === 0) return undefined
    const database =
      url === undefined
        ? sqliteDatabase(openUnchanged(file), file)
        : (await import('./postgres/postgres-database.ts')).postgresDatabase(url)
    if (!(await database.isEmpty().finally(() => database.close()))) return undefined
    return `The ${url === undefined ? `data file ${file}` : 'database of DATABASE_URL'} has no tenant`
  } catch (cause) {
    const error = cause instanceof StorageUnavailableError ? cause.cause : cause
    if (url === undefined && isDamage(error)) return undefined
    if (cause instanceof StorageUnavailableError) throw cause
    const sentence = `The data file ${file} ${sqliteFaultOf(error) ?? 'cannot be read'}.`
    throw new StorageUnavailableError(sentence, { cause })
  }
}

/**
 * Opens the store. It is created if it does not exist and never did.
 *
 * @throws {StorageUnavailableError} storage_unavailable, with a sentence for the operator, when it
 * cannot be used; nothing in it is changed then
 */
export async function openStorage({
  dataDir,
  databaseUrl,
  limits = defaultStorageLimits,
  countedTenants,
  observe,
  newWorker,
  traces = [],
  lostChanges = 'refuse',
}: StorageOptions): Promise<Storage> {
  const dataFile = join(dataDir, dataFileName)
  const isAccepted = lostChanges === 'accept'
  const acknowledged = databaseUrl === undefined ? new AcknowledgedCommits(dataFile) : undefined
  const noted = (await acknowledged?.hasCommits()) ? [acknowledgedFile(dataFileName)] : []
  // Another server that creates the store writes them later, so they are looked for before the store.
  const files = await filesIn(dataDir, [...traces, ...noted, ...(acknowledged ? logFiles : [])])
  const lostCommits = await acknowledged?.compare(isAccepted)
  const fault = files.length > 0 ? await lackOf(dataFile, databaseUrl) : undefined
  // A data file has a log while it is open.
  const left = existsSync(dataFile) ? files.filter((name) => !logFiles.includes(name)) : files
  if (fault !== undefined && left.length > 0)
    await leaveEarlierStore(dataDir, left, { fault, isAccepted })
  const database =
    databaseUrl === undefined
      ? await openSqliteDatabase(dataFile, { newWorker })
      : await openPostgres(databaseUrl)
  if (observe !== undefined) database.observe(observe)
  const storage = sqlStorage(database, limits, acknowledged?.note, countedTenants)
  try {
    if (acknowledged !== undefined) {
      await acknowledged.note('signing-keys', (await storage.keyRing.read()).latest)
      await acknowledged.note('directory', (await storage.directory.changesAfter()).latest)
    }
  } catch (cause) {
    await database.close()
    throw cause
  }
  return { ...storage, lostCommits }
}

/** The ports of a standby. */
export type StandbyStorage = Standby &
  AsyncDisposable & { readonly keyRing: Pick<KeyRingStore, 'read'> }

/**
 * Opens a standby of the store, or another reader of it. The first query connects.
 *
 * @param url as `databaseUrl`; it may name several standbys
 */
export async function openStandby(url: string): Promise<StandbyStorage> {
  const { postgresDatabase } = await import('./postgres/postgres-database.ts')
  const database = postgresDatabase(url, { isReadOnly: true })
  return {
    directory: new SqlDirectoryLog(database),
    keyRing: sqlKeyRingStore(database),
    lastBeat: (known) => lastBeat(database, known),
    isMigrated: () => database.isMigrated(),
    [Symbol.asyncDispose]: () => database.close(),
  }
}

/** The used assertions of a region, which are in a separate database. */
export type RegionalAssertions = ReplayCache &
  AsyncDisposable & {
    /** Deletes what has expired, as `Storage.tidy` does. */
    readonly tidy: (agreed: AgreedTime | undefined) => Promise<void>
  }

/**
 * Opens a region's database for used assertions, and creates its tables if it has none.
 *
 * @param maxRecords the maximum number of unexpired assertions
 * @throws {StorageUnavailableError} storage_unavailable when it cannot be used
 */
export async function openRegionalAssertions(
  url: string,
  maxRecords: number,
): Promise<RegionalAssertions> {
  const database = await openPostgres(url)
  const cache = new SqlReplayCache(database, maxRecords)
  return {
    spend: (...use) => cache.spend(...use),
    isSpent: (...use) => cache.isSpent(...use),
    tidy: async (agreed) => {
      if (agreed !== undefined) await cache.forgetExpired(agreed)
      await cache.recount()
    },
    [Symbol.asyncDispose]: () => database.close(),
  }
}

/** The driver is loaded only for a database that needs it. */
async function openPostgres(url: string): Promise<SqlDatabase> {
  const { openPostgresDatabase } = await import('./postgres/postgres-database.ts')
  return openPostgresDatabase(url)
}

/** The storage in an open database. */
export function sqlStorage(
  database: SqlDatabase,
  limits: StorageLimits = defaultStorageLimits,
  onCommit?: OnCommit,
  countedTenants: readonly string[] = [],
): Storage {
  const assertions = new SqlReplayCache(database, limits.usedAssertions)
  const credentialUses = new SqlCredentialUses(database)
  const audit = new SqlAuditTrail(database)
  let bytes: number | undefined
  let endingCredentials: StorageUsage['endingCredentials'] = {
    secret: undefined,
    certificate: undefined,
  }
  let tenantObjects: StorageUsage['tenantObjects'] = {}
  const directory = new SqlDirectoryLog(database, onCommit)
  return {
    directory,
    keyRing: sqlKeyRingStore(database, onCommit),
    assertions,
    credentialUses,
    audit,
    findEndingCredentials: (...query) => findEndingCredentials(database, ...query),
    tidy: async (now, agreed, signal) => {
      if (agreed !== undefined) {
        await assertions.forgetExpired(agreed)
        await audit.forgetOld(limits, agreed, signal)
      }
      await assertions.recount()
      await audit.forgetBeyond(limits, now, signal)
      await credentialUses.forgetRemoved()
      bytes = await database.bytes()
      endingCredentials = await countEndingCredentials(database, now)
      if (countedTenants.length > 0) tenantObjects = await countObjects(database, countedTenants)
      await directory.prune()
    },
    usage: () => ({
      bytes,
      auditRecords: {
        signIns: audit.count('signIns'),
        unauthenticated: audit.count('unauthenticated'),
        refusedChanges: audit.count('refusedChanges'),
      },
      usedAssertions: assertions.count,
      credentialUses: credentialUses.count,
      endingCredentials,
      tenantObjects,
    }),
    clockMs: () => database.clockMs(),
    clockMarks: sqlClockMarks(database),
    beat: (...time) => beat(database, ...time),
    lastBeat: (known) => lastBeat(database, known),
    close: () => database.close(),
  }
}

/** The files of a list that exist in a folder and have content. */
async function filesIn(folder: string, names: readonly string[]): Promise<string[]> {
  const sizeOf = async (name: string) => (await lstat(join(folder, name))).size
  const sizes = await Promise.all(names.map((name) => sizeOf(name).catch(() => 0)))
  return names.filter((_, at) => sizes[at])
}

/**
 * Refuses to begin a store in the folder of another store, because that one has other tenants and
 * the last copies of secrets; or moves its files to a folder where nothing overwrites them.
 *
 * @throws {StorageUnavailableError} storage_unavailable; then nothing was changed
 */
async function leaveEarlierStore(
  dataDir: string,
  files: readonly string[],
  { fault, isAccepted }: { readonly fault: string; readonly isAccepted: boolean },
): Promise<void> {
  if (!isAccepted)
    throw new StorageUnavailableError(
      `${fault}, but ${dataDir} has ${files.join(', ')} of an earlier store. Nothing was changed. Mount that store or restore a backup, or accept the loss with LOST_CHANGES=accept, which moves these files to another folder and creates a new store.`,
    )
  const kept = await mkdtemp(join(dataDir, 'earlier-store-'))
  for (const name of files)
    await rename(join(dataDir, name), join(kept, name)).catch(unless('ENOENT'))
}
