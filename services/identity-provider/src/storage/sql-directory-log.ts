import type { Transaction } from 'kysely'
import type { CommittedChange, DirectoryChange } from '../directory/directory-change.ts'
import type { AuditRecord } from './audit-record.ts'
import { insertAudit } from './audit-rows.ts'
import type { DirectoryLog } from './directory-log.ts'
import { deleteObject, directoryTables } from './directory-tables.ts'
import { latestRevision, takeNextRevision } from './revision-counter.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { Tables } from './tables.ts'

/** The directory in a database, a table for each kind of object and of part. */
export class SqlDirectoryLog implements DirectoryLog {
  readonly #database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  async changesAfter(revision: number) {
    // Asked several times a second by every replica, and mostly there is nothing new.
    const latest = await this.#database.ask((db) => latestRevision(db, 'directory'))
    if (latest <= revision) return { revision: latest, changes: [] }
    return this.#database.snapshot(async (db) => ({
      revision: await latestRevision(db, 'directory'),
      changes: await changesAfter(db, revision),
    }))
  }

  commit(
    baseRevision: number,
    changes: readonly DirectoryChange[],
    audit: readonly AuditRecord[],
  ): Promise<'committed' | 'conflict'> {
    return this.#database.write(async (db) => {
      if (!(await takeNextRevision(db, 'directory', baseRevision))) return 'conflict'
      for (const change of changes) await write(db, change, baseRevision + 1)
      await insertAudit(db, 'directory_audit', audit)
      return 'committed'
    })
  }
}

async function changesAfter(db: Transaction<Tables>, revision: number): Promise<CommittedChange[]> {
  const changes: CommittedChange[] = []
  for (const { changedAfter } of Object.values(directoryTables)) {
    changes.push(...(await changedAfter(db, revision)))
  }
  const removed = await db
    .selectFrom('removed_object')
    .selectAll()
    .where('revision', '>', revision)
    .execute()
  return [...changes, ...removed.map((row) => ({ ...row, value: null }) as CommittedChange)]
}

async function write(
  db: Transaction<Tables>,
  change: DirectoryChange,
  revision: number,
): Promise<void> {
  const { kind, id } = change
  await deleteObject(db, kind, id)
  await db.deleteFrom('removed_object').where('kind', '=', kind).where('id', '=', id).execute()
  if (change.value === null) {
    await db.insertInto('removed_object').values({ kind, id, revision }).execute()
    return
  }
  const insert = directoryTables[kind].insert as (
    db: Transaction<Tables>,
    value: unknown,
    revision: number,
  ) => Promise<unknown>
  await insert(db, change.value, revision)
}
