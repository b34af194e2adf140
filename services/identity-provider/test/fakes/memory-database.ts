import { DatabaseSync } from 'node:sqlite'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { sqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'

let emptyTables: Uint8Array | undefined

/** A database in memory with empty tables. The migrations run once in a process, because they take 20 ms. */
export async function memoryDatabase(
  side = new DatabaseSync(':memory:'),
): Promise<{ readonly side: DatabaseSync; readonly database: SqlDatabase }> {
  const database = sqliteDatabase(side, ':memory:')
  if (emptyTables !== undefined) side.deserialize(emptyTables)
  else {
    await database.migrate()
    emptyTables = side.serialize()
  }
  return { side, database }
}
