import { type Kysely, sql } from 'kysely'
import { identifierUriRows } from '../rows/application-rows.ts'
import { nameKey, wordStartsText } from '../rows/object-rows.ts'
import type { Tables } from '../rows/tables.ts'
import type { SqlDatabase } from '../sql-database.ts'

const rowsPerPart = 200

/**
 * Fills the name keys and identifier URIs of rows that a server of the former release wrote. It writes in
 * parts, so that other servers can write in between.
 */
export async function fillNameKeys(database: SqlDatabase): Promise<void> {
  for (const table of ['application', 'service_principal'] as const) {
    // A transaction for writing only when there is something to write.
    while (await database.ask((db) => hasUnnamed(db, table))) {
      await database.write((db) => fillPart(db, table))
    }
  }
}

async function hasUnnamed(
  db: Kysely<Tables>,
  table: 'application' | 'service_principal',
): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('word_starts', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function fillPart(
  db: Kysely<Tables>,
  table: 'application' | 'service_principal',
): Promise<void> {
  // The lock of all commits of the directory: no commit replaces these rows meanwhile.
  await db
    .updateTable('revision')
    .set((row) => ({ number: row.ref('number') }))
    .where('log', '=', 'directory')
    .execute()
  const rows = await db
    .selectFrom(table)
    .select(['id', 'display_name'])
    .where('word_starts', 'is', null)
    .limit(rowsPerPart)
    .execute()
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  if (table === 'application') await fillUris(db, ids)
  const casesOf = (keyOf: (name: string) => string) => {
    const cases = rows.map(({ id, display_name }) => sql`when ${id} then ${keyOf(display_name)}`)
    return sql`case id ${sql.join(cases, sql` `)} end`
  }
  await sql`
    update ${sql.table(table)}
    set name_key = ${casesOf(nameKey)}, word_starts = ${casesOf(wordStartsText)}
    where id in (${sql.join(ids)})
  `.execute(db)
}

async function fillUris(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  const applications = await db
    .selectFrom('application')
    .select(['id', 'tenant_id', 'identifier_uris'])
    .where('id', 'in', ids)
    .execute()
  const rows = applications.flatMap(({ id, tenant_id, identifier_uris }) =>
    identifierUriRows({
      id,
      tenantId: tenant_id,
      identifierUris: JSON.parse(identifier_uris) as string[],
    }),
  )
  const rowsPerInsert = 500
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await db
      .insertInto('identifier_uri')
      .values(rows.slice(start, start + rowsPerInsert))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}
