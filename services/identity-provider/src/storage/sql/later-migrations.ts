import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { migrations } from './migrations.ts'
import type { Tables } from './tables.ts'

/** The end of the name of a migration that removes what the release before it uses. */
export const contractionSuffix = '-contract'

const nothingToDo: Migration = { up: async () => {} }

/**
 * The applied migrations of later releases, when each of them only adds to the tables. Then this release
 * can use the store: it may start again during an upgrade, and after one that was taken back.
 *
 * @returns no migrations when one of them is a contraction
 */
export async function laterExpansions(
  db: Kysely<Tables>,
): Promise<Readonly<Record<string, Migration>>> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const later = rows.map(({ name }) => name).filter((name) => !(name in migrations))
  if (later.some((name) => name.endsWith(contractionSuffix))) return {}
  return Object.fromEntries(later.map((name) => [name, nothingToDo]))
}
