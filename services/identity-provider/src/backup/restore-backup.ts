import { continueNumbers, type SqlDatabase, storedTables } from '@greeting/directory/database'
import { sql } from 'kysely'
import { BackupError } from './backup-error.ts'
import { appliedMigrations } from './store-source.ts'
import type { VerifiedBackup } from './verify-backup.ts'

type Row = Readonly<Record<string, unknown>>

/** Values of one statement. SQLite allows 32,766, PostgreSQL 65,535. */
const maxParameters = 5000

/**
 * Fills an empty database with a backup: the tables of its release, the rows in one transaction, and
 * then the migrations of this release.
 *
 * @param keeps whether a row is inserted; default always
 * @throws {BackupError} backup_damaged when the rows are not those of the manifest
 */
export async function restoreBackup(
  database: SqlDatabase,
  { manifest, rowsOf }: VerifiedBackup,
  onTable: (name: string, rows: number) => void,
  keeps: (table: string, row: Row) => boolean = () => true,
): Promise<void> {
  await database.migrate(manifest.migrations.at(-1))
  await database.write(async (db) => {
    // Migrations insert the first revisions.
    await db.deleteFrom('revision').execute()
    for (const { name, rows } of inOrder(manifest.tables)) {
      let read = 0
      const kept = async function* () {
        for await (const row of rowsOf(name)) {
          read += 1
          if (keeps(name, row)) yield row
        }
      }
      for await (const some of batchesOf(kept())) {
        const columns = Object.keys(some[0] ?? {})
        const values = some.map(
          (row) => sql`(${sql.join(columns.map((column) => sql.val(row[column])))})`,
        )
        await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
          values ${sql.join(values)}`.execute(db)
      }
      if (read !== rows)
        throw new BackupError(
          'backup_damaged',
          `the backup has ${read} rows of ${name} instead of ${rows}. Nothing was changed`,
        )
      onTable(name, read)
    }
    await continueNumbers(db)
  })
  await database.migrate()
}

/**
 * Requires a database without data: it has no tables, or its tables have no rows.
 *
 * @throws {BackupError} store_not_empty
 */
export async function requireEmpty(database: SqlDatabase): Promise<void> {
  if ((await appliedMigrations(database)).length === 0) return
  for (const name of ['tenant', 'signing_key', 'directory_audit'] as const) {
    const row = await database.ask((db) =>
      db.selectFrom(name).select(sql.lit(1).as('one')).limit(1).executeTakeFirst(),
    )
    if (row === undefined) continue
    throw new BackupError(
      'store_not_empty',
      'the database has data, and is not overwritten: restore into an empty one',
    )
  }
}

function inOrder(tables: VerifiedBackup['manifest']['tables']) {
  const order = storedTables.map(({ name }) => name)
  return tables.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

async function* batchesOf(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length * Object.keys(row).length < maxParameters) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
