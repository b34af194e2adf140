import { join } from 'node:path'
import { openUnchecked } from '../../services/identity-provider/src/storage/sqlite/sqlite-connection.ts'
import { sqliteDatabase } from '../../services/identity-provider/src/storage/sqlite/sqlite-database.ts'
import {
  openStorage,
  type Storage,
  type StorageOptions,
  sqlStorage,
} from '../../services/identity-provider/src/storage/storage.ts'

/**
 * Opens a store to fill it. The product makes the data file or the tables first.
 *
 * SQLite then works in this thread, and does not wait for the disk. A message to another thread takes
 * longer than most statements, and a store of a bench need not survive a power cut. Up to 2 GB of pages stay
 * in memory: with a million applications, each row changes pages all over the indexes.
 */
export async function openForSeeding(options: StorageOptions): Promise<Storage> {
  const storage = await openStorage(options)
  if (options.databaseUrl !== undefined) return storage
  await storage.close()
  const path = join(options.dataDir, 'greeting.sqlite')
  const connection = openUnchecked(path)
  connection.exec(
    'pragma synchronous = off; pragma cache_size = -2000000; pragma wal_autocheckpoint = 100000',
  )
  return sqlStorage(sqliteDatabase(connection, path), options.limits)
}
