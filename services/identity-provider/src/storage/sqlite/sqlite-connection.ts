import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StorageUnavailableError } from '../storage-unavailable-error.ts'
import { checkFile } from './file-check.ts'

const pragmas = `
  pragma journal_mode = wal;
  -- An acknowledged write survives a power cut, not only a crash of the process.
  pragma synchronous = full;
  -- SQLite overwrites what is deleted, such as a revoked key.
  pragma secure_delete = on;
  pragma trusted_schema = off;
  -- Writes to the indexes of the audit touch many pages. The unit is KiB.
  pragma cache_size = -8000;
  -- The dialect repeats the request for a lock, so that SQLite blocks its thread for a moment only.
  pragma busy_timeout = 5;
`

/** The end of the message about a damaged file that was not changed. */
export const damaged = 'is damaged: restore it from a backup. It was left as it is'

/**
 * Opens a file for writing, and checks it.
 *
 * @throws {StorageUnavailableError} storage_unavailable when the file is damaged
 */
export const openWriter = (path: string): DatabaseSync => openChecked(path)

/** Opens a file for reading. At the start the writer has checked it. */
export function openReader(path: string, isReplacement: boolean): DatabaseSync {
  const reader = isReplacement ? openChecked(path) : openUnchecked(path)
  reader.exec('pragma query_only = on')
  return reader
}

function openChecked(path: string): DatabaseSync {
  const connection = openUnchecked(path)
  try {
    const fault = checkFile(connection, path)
    if (fault === undefined) return connection
    throw new StorageUnavailableError(`The data file ${path} ${damaged}.`, { cause: fault })
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/** Opens a file that exists. */
export function openUnchecked(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  const connection = new DatabaseSync(url)
  try {
    connection.exec(pragmas)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}
