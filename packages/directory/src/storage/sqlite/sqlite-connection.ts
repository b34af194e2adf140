import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StorageUnavailableError } from '../../live/storage-unavailable-error.ts'
import { isFull } from './sqlite-fault.ts'

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
const damaged = 'is damaged: restore it from a backup. It was left as it is'

/**
 * Opens a file for writing, and checks it.
 *
 * @throws {StorageUnavailableError} storage_unavailable when the file is damaged
 */
export const openWriter = (path: string): DatabaseSync => openChecked(path)

/** Opens a file for reading, even on a full disk. The writer has checked the file at the start. */
export function openReader(path: string, isReplacement: boolean): DatabaseSync {
  try {
    const reader = isReplacement ? openChecked(path) : openUnchecked(path)
    reader.exec('pragma query_only = on')
    return reader
  } catch (cause) {
    return frozenAfter(cause, path)
  }
}

/** Opens a file for reading, and changes neither the file nor its log, even when it closes. */
export function openUnchanged(path: string): DatabaseSync {
  const connection = new DatabaseSync(urlOf(path, { mode: 'ro' }), {
    readOnly: true,
    timeout: 5000,
  })
  try {
    connection.prepare('select name from sqlite_schema limit 1').get()
    return connection
  } catch (cause) {
    connection.close()
    return frozenAfter(cause, path)
  }
}

/** Connections that do not see later changes of their file. */
const frozen = new WeakSet<DatabaseSync>()

/** True if a connection was opened without room for the log's index. Such a connection sees no later change. */
export const isFrozen = (connection: DatabaseSync): boolean => frozen.has(connection)

/**
 * Opens a file without the index of its log, for which a full disk has no room. A log with changes needs the index.
 *
 * @throws {unknown} the error of the usual way, when this one does not help
 */
function frozenAfter(error: unknown, path: string): DatabaseSync {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (!isFull(error) || (log !== undefined && log.size > 0)) throw error
  const url = urlOf(path, { mode: 'ro', immutable: '1' })
  const connection = new DatabaseSync(url, { readOnly: true })
  frozen.add(connection)
  return connection
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

/** Opens an existing file without checking it. */
export function openUnchecked(path: string): DatabaseSync {
  const connection = new DatabaseSync(urlOf(path, { mode: 'rw' }))
  try {
    connection.exec(pragmas)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

function urlOf(path: string, parameters: Readonly<Record<string, string>>): URL {
  const url = pathToFileURL(path)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/** The maximum size of a file that is checked completely when it is opened, which takes about 0.1 s. */
export const maxBytesCheckedAtOpen = 8 * 1024 * 1024

/** Small tables without which no token can be issued. They are checked at each start. */
const tablesCheckedAtOpen = ['revision', 'signing_key', 'tenant', 'kysely_migration']

/**
 * Checks a file that is being opened: a small file whole, a large one in its small tables. SQLite
 * itself has checked the header, the size and the schema. `quick_check` reads every page, which takes
 * seconds in a file with a full audit.
 *
 * @returns the first fault; undefined when there is none
 */
function checkFile(connection: DatabaseSync, path: string): unknown {
  const { size } = statSync(path)
  if (size <= maxBytesCheckedAtOpen) return quickCheck(connection)
  const names = connection.prepare("select name from sqlite_schema where type = 'table'").all()
  const tables = new Set(names.map(({ name }) => name))
  return tablesCheckedAtOpen
    .filter((table) => tables.has(table))
    .map((table) => quickCheck(connection, table))
    .find((fault) => fault !== undefined)
}

/**
 * Checks a whole file, or one table of it.
 *
 * @returns the first fault; undefined when there is none
 * @see https://sqlite.org/pragma.html#pragma_quick_check
 */
function quickCheck(connection: DatabaseSync, table?: string): unknown {
  const what = table === undefined ? '1' : `'${table}'`
  const [verdict] = Object.values(connection.prepare(`pragma quick_check(${what})`).get() ?? {})
  return verdict === 'ok' ? undefined : (verdict ?? 'The check has no result.')
}
