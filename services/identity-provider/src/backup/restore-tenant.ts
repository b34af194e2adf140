import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { systemRecord } from '@greeting/directory/audit'
import { objectsOfTenant, type SqlDatabase, storedTables } from '@greeting/directory/database'
import { sqliteDatabase, sqlStorage } from '@greeting/directory/storage'
import { BackupError } from './backup-error.ts'
import { restoreBackup } from './restore-backup.ts'
import { type Present, type TenantChanges, tenantChanges } from './tenant-changes.ts'
import type { VerifiedBackup } from './verify-backup.ts'

export type TenantRestore = {
  readonly database: SqlDatabase
  readonly tenantId: string
  readonly backup: VerifiedBackup
  readonly now: Date
  /** Whether the changes are only decided, and not written. */
  readonly isPlan: boolean
  readonly progress?: (line: string) => void
}

const maxAttempts = 5
/** While more are written, other tenants would wait for seconds in SQLite. */
const maxChangesPerCommit = 1000

/**
 * Restores one tenant from a backup. Servers may run, because they follow the restore like any other commit. More
 * than 1000 changes need several commits; if one of them fails, a repetition makes the remaining changes.
 *
 * @returns the changes
 * @throws {BackupError} tenant_unknown when the backup lacks the tenant; tenant_conflict when
 * another tenant has a name of it by now, or servers change the tenant all the time
 */
export async function restoreTenant(options: TenantRestore): Promise<TenantChanges> {
  const { backup, database, isPlan, now, progress, tenantId } = options
  const wanted = await objectsIn(backup, tenantId)
  const { directory } = sqlStorage(database)
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    let base: Awaited<ReturnType<typeof directory.commit>> = await directory.latest()
    const decided = await database.snapshot((db) => tenantChanges(db, tenantId, wanted, now))
    const { changes, summary } = decided
    if (isPlan) return decided
    const reason = `state of ${backup.manifest.createdAt}: ${summary}`
    const record = systemRecord(now, 'tenant.restore', tenantId, { tenantId, reason })
    // Only the domains of a tenant concern the others.
    const others = changes.some(({ kind }) => kind === 'tenant') ? ['directory'] : []
    const logs = [tenantId, ...others].sort()
    for (let at = 0; at < changes.length && base !== 'conflict'; at += maxChangesPerCommit) {
      const some = changes.slice(at, at + maxChangesPerCommit)
      base = await directory.commit(base, randomUUID(), some, at === 0 ? [record] : [], logs)
      const end = at + some.length
      if (base !== 'conflict' && end < changes.length)
        progress?.(
          `partial: ${end} of ${changes.length} changes. If the restore ends here, repeat it.`,
        )
    }
    if (base !== 'conflict') return decided
  }
  const sentence = `servers change the tenant ${tenantId} all the time: try again, or disable it first`
  throw new BackupError('tenant_conflict', sentence)
}

/** The objects of a tenant in a backup, in the form of this release. */
async function objectsIn(backup: VerifiedBackup, tenantId: string): Promise<readonly Present[]> {
  const columnOf = new Map<string, string | undefined>(
    storedTables.map(({ name, tenant }) => [name, tenant]),
  )
  const tables = backup.manifest.tables.filter(({ name }) => columnOf.get(name) !== undefined)
  /** The IDs of the tenant, and of its applications and service principals. */
  const owners = new Set<unknown>([tenantId])
  const keeps = (table: string, row: Readonly<Record<string, unknown>>) => {
    const column = columnOf.get(table) ?? ''
    const isKept = owners.has(row[column])
    if (isKept && column === 'tenant_id') owners.add(row.id)
    return isKept
  }
  const draft = sqliteDatabase(new DatabaseSync(':memory:'), ':memory:')
  try {
    const manifest = { ...backup.manifest, tables }
    await restoreBackup(draft, { ...backup, manifest }, () => undefined, keeps)
    const objects = await draft.ask((db) => objectsOfTenant(db, tenantId))
    if (objects.some(({ kind }) => kind === 'tenant')) return objects as readonly Present[]
  } finally {
    await draft.close()
  }
  const { tenantId: only } = backup.manifest
  const other = only === undefined ? '' : `, but only ${only}`
  throw new BackupError('tenant_unknown', `the backup has no tenant ${tenantId}${other}`)
}
