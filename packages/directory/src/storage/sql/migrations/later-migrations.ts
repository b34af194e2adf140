import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { StorageUnavailableError } from '../../../live/storage-unavailable-error.ts'
import type { Tables } from '../rows/tables.ts'
import { migrations } from './migrations.ts'

/** The suffix of a migration that removes what the previous release uses. */
export const contractionSuffix = '-contract'

const nothingToDo: Migration = { up: async () => {} }

/** The names of the migrations that a store has; none for a new store. */
export async function appliedMigrations(db: Kysely<Tables>): Promise<readonly string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
    return rows.map(({ name }) => name)
  } catch (cause) {
    if (isWithoutTable(cause)) return []
    throw cause
  }
}

const [firstName = ''] = Object.keys(migrations)

/** True if the tables were made by a release before the first migration, which each later release has. */
export const isBeforeFirstSchema = (applied: readonly string[]): boolean =>
  applied.length > 0 && !applied.includes(firstName)

/** The instructions for the operator of such an early release. */
export const wayFromBefore =
  'start the release that made it, export its registrations with "npx --no-install greeting registrations export", and apply them to a new store'

/**
 * The applied migrations of later releases, if each of them only adds to the tables. Then this release can
 * use the store, for example during an upgrade and after an upgrade that was rolled back.
 *
 * @throws {StorageUnavailableError} storage_unavailable when one of them is a contraction
 */
export function laterExpansions(applied: readonly string[]): Readonly<Record<string, Migration>> {
  const later = applied.filter((name) => !(name in migrations))
  const contraction = later.find((name) => name.endsWith(contractionSuffix))
  if (contraction !== undefined)
    throw new StorageUnavailableError(
      `A later release changed the tables of this store (${contraction}): start that release, or restore a backup of this one.`,
    )
  return Object.fromEntries(later.map((name) => [name, nothingToDo]))
}

/** PostgreSQL has a code for it, and SQLite has a message. In jest, its errors belong to another realm. */
const isWithoutTable = (cause: unknown): boolean => {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown }
  return code === '42P01' || String(message).startsWith('no such table')
}
