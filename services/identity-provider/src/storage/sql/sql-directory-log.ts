import type { Transaction } from 'kysely'
import type { CommittedChange, DirectoryChange } from '../../directory/directory-change.ts'
import type { AuditRecord } from '../audit-record.ts'
import { beginning, type Commit } from '../commit.ts'
import type { DirectoryLog, Followed } from '../directory-log.ts'
import { insertAudit } from './audit-rows.ts'
import { deleteObject, directoryTables } from './directory-tables.ts'
import { positionIn, takeNextRevision } from './revision-counter.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { Tables } from './tables.ts'

/** The directory in a database, a table for each kind of object and of part. */
export class SqlDirectoryLog implements DirectoryLog {
  readonly #database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  async changesAfter(known: Commit = beginning): Promise<Followed> {
    // Asked several times a second by every replica, and mostly there is nothing new.
    const position = await this.#database.ask((db) => positionIn(db, 'directory', known))
    const isNew = position.hasKnown && position.latest.revision > known.revision
    if (!isNew) return { ...position, changes: [] }
    return this.#database.snapshot(async (db) => {
      // Asked again: another connection may lead to another server, with another past.
      const position = await positionIn(db, 'directory', known)
      const changes = position.hasKnown ? await changesAfter(db, known.revision) : []
      return { ...position, changes }
    })
  }

  commit(
    base: Commit,
    mark: string,
    changes: readonly DirectoryChange[],
    audit: readonly AuditRecord[],
  ): Promise<'committed' | 'conflict'> {
    return this.#database.write(async (db) => {
      if (!(await takeNextRevision(db, 'directory', base, mark))) return 'conflict'
      for (const change of changes) await write(db, change, base.revision + 1)
      await insertAudit(db, 'directory_audit', 'changes', audit)
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
