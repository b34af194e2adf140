import { access } from 'node:fs/promises'
import { join } from 'node:path'
import {
  isBeforeFirstSchema,
  migrations,
  openUnchecked,
  postgresDatabase,
  type SqlDatabase,
  wayFromBefore,
} from '@greeting/directory/database'
import { sqliteDatabase } from '@greeting/directory/storage'
import { sql } from 'kysely'
import { BackupError } from './backup-error.ts'

export type StorePlace = {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
}

export const dataFile = ({ dataDir }: StorePlace): string => join(dataDir, 'greeting.sqlite')

/**
 * Opens a store without changing it, because a backup with a later release must not migrate it.
 *
 * @throws {BackupError} store_missing when there is none; store_newer or store_older when this
 * release does not know its tables
 * @throws {StorageUnavailableError} storage_unavailable
 */
export async function openSource(place: StorePlace): Promise<SqlDatabase> {
  const database = await openUnmigrated(place)
  try {
    const applied = await appliedMigrations(database)
    if (isBeforeFirstSchema(applied))
      throw new BackupError('store_older', `an early release made the store: ${wayFromBefore}`)
    const known = Object.keys(migrations)
    if (applied.some((name) => !known.includes(name)))
      throw new BackupError('store_newer', 'the tables of the store are of a later release')
    return database
  } catch (cause) {
    await database.close()
    throw cause
  }
}

async function openUnmigrated(place: StorePlace): Promise<SqlDatabase> {
  if (place.databaseUrl !== undefined) return postgresDatabase(place.databaseUrl)
  const path = dataFile(place)
  await access(path).catch((cause) => {
    throw new BackupError('store_missing', `there is no data file ${path}`, { cause })
  })
  return sqliteDatabase(openUnchecked(path), path)
}

/** The names of a store's migrations, in order; none if it has no tables. */
export async function appliedMigrations(database: SqlDatabase): Promise<string[]> {
  const tables = await database.ask((db) =>
    db.introspection.getTables({ withInternalKyselyTables: true }),
  )
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await database.ask((db) =>
    sql<{ name: string }>`select name from kysely_migration order by name`.execute(db),
  )
  return rows.map(({ name }) => name)
}
