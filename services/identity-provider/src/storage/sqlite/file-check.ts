import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** A file up to this size is checked whole when it is opened: about 0.1 s. */
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
export function checkFile(connection: DatabaseSync, path: string): unknown {
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
export function quickCheck(connection: DatabaseSync, table?: string): unknown {
  const what = table === undefined ? '1' : `'${table}'`
  const [verdict] = Object.values(connection.prepare(`pragma quick_check(${what})`).get() ?? {})
  return verdict === 'ok' ? undefined : (verdict ?? 'The check has no result.')
}
