import { join } from 'node:path'
import type { KeyRingStore } from '../signing/key-ring-store.ts'
import type { AuditLimits, AuditTrail } from './audit-trail.ts'
import type { CredentialUses } from './credential-uses.ts'
import type { DirectoryLog } from './directory-log.ts'
import { openPostgresDatabase } from './postgres/postgres-database.ts'
import type { ReplayCache } from './replay-cache.ts'
import { SqlAuditTrail } from './sql/sql-audit-trail.ts'
import { SqlCredentialUses } from './sql/sql-credential-uses.ts'
import type { SqlDatabase } from './sql/sql-database.ts'
import { SqlDirectoryLog } from './sql/sql-directory-log.ts'
import { SqlKeyRingStore } from './sql/sql-key-ring-store.ts'
import { SqlReplayCache } from './sql/sql-replay-cache.ts'
import { openSqliteDatabase } from './sqlite/sqlite-database.ts'

/** Everything that a server keeps, each behind its own port. */
export type Storage = {
  readonly directory: DirectoryLog
  readonly keyRing: KeyRingStore
  readonly assertions: ReplayCache
  readonly credentialUses: CredentialUses
  readonly audit: AuditTrail
  /** Forgets what nobody needs any more: to be called every few minutes. */
  tidy(now: Date): Promise<void>
  close(): Promise<void>
}

export type StorageOptions = {
  /** The folder of the data file, which is used when there is no `databaseUrl`. */
  readonly dataDir: string
  /** `postgres://...` of a database that replicas share; undefined for the data file. */
  readonly databaseUrl?: string | undefined
  readonly auditLimits?: AuditLimits
}

/** Two years of changes and three months of sign-ins, within a number of records for each lane. */
const defaultAuditLimits: AuditLimits = {
  directoryDays: 730,
  signInDays: 90,
  records: { signIns: 1_000_000, unauthenticated: 100_000, refusedChanges: 100_000 },
}

/**
 * Opens the store, and makes it when there is none.
 *
 * @throws {StorageUnavailableError} storage_unavailable, in one sentence for the operator, when it
 *   cannot be used; nothing that is there is changed then.
 */
export async function openStorage({
  dataDir,
  databaseUrl,
  auditLimits = defaultAuditLimits,
}: StorageOptions): Promise<Storage> {
  const database = await (databaseUrl === undefined
    ? openSqliteDatabase(join(dataDir, 'greeting.sqlite'))
    : openPostgresDatabase(databaseUrl))
  return sqlStorage(database, auditLimits)
}

/** The store in a database that is open. */
export function sqlStorage(
  database: SqlDatabase,
  auditLimits: AuditLimits = defaultAuditLimits,
): Storage {
  const assertions = new SqlReplayCache(database)
  const audit = new SqlAuditTrail(database)
  return {
    directory: new SqlDirectoryLog(database),
    keyRing: new SqlKeyRingStore(database),
    assertions,
    credentialUses: new SqlCredentialUses(database),
    audit,
    tidy: async (now) => {
      await assertions.forgetExpired(now)
      await audit.prune(auditLimits, now)
    },
    close: () => database.close(),
  }
}
