import { randomUUID } from 'node:crypto'
import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../files/make-folder.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { draftParts, removeAbandonedDrafts } from './abandoned-drafts.ts'
import { acknowledgedFile } from './acknowledged-commits.ts'
import { openUnchecked } from './sqlite-connection.ts'

const ownerOnly = 0o600

/**
 * Creates a data file with its tables, completely or not at all. Does nothing when another process
 * creates the file at the same time.
 *
 * It runs in this thread: the file is small, and the service does not listen yet.
 *
 * @param fill makes the tables, and may add rows
 * @returns whether this call made the file
 */
export async function createFile(
  path: string,
  databaseOf: (draft: DatabaseSync) => SqlDatabase,
  fill: (database: SqlDatabase) => Promise<void> = (database) => database.migrate(),
): Promise<boolean> {
  await makeFolder(dirname(path))
  await removeAbandonedDrafts(path)
  const draft = `${path}.${randomUUID()}`
  try {
    await (await open(draft, 'wx', ownerOnly)).close()
    const connection = openUnchecked(draft)
    const database = databaseOf(connection)
    try {
      await fill(database)
      moveLogIntoFile(connection)
    } finally {
      await database.close()
    }
    // It has the commits of an earlier data file.
    await rm(acknowledgedFile(path), { force: true })
    // `link` does not replace the file of a faster process.
    return await link(draft, path).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST') return false
        throw cause
      },
    )
  } finally {
    await Promise.all(draftParts.map((part) => rm(`${draft}${part}`, { force: true })))
  }
}

/** The file must be complete without its log. Closing reports no error when that fails. */
function moveLogIntoFile(connection: DatabaseSync): void {
  const { busy } = connection.prepare('pragma wal_checkpoint(truncate)').get() ?? {}
  if (busy !== 0) throw new TypeError('another process uses the new data file')
}
