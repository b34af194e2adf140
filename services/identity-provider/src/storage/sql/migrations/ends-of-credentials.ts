import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Tables } from '../rows/tables.ts'

/**
 * The ends of the credentials of service principals, for the list of ending credentials. A server of the
 * former release writes none: those of its changes are missing until the next change.
 */
export const endsOfCredentials: Migration = {
  async up(db: Kysely<Tables>) {
    await sql`
      create table service_principal_credential (
        service_principal_id text not null references service_principal (id) on delete cascade,
        kind text not null,
        key_id text not null,
        display_name text,
        ends_at text not null,
        primary key (service_principal_id, kind, key_id)
      )`.execute(db)
    const columns = { secret: 'password_credentials', certificate: 'key_credentials' } as const
    for (const [kind, column] of Object.entries(columns)) {
      const rows = await db
        .selectFrom('service_principal')
        .select(['id', column])
        .where(column, '<>', '[]')
        .execute()
      for (const { id, [column]: list } of rows) {
        for (const { display_name, ends_at, key_id } of JSON.parse(String(list))) {
          const end = { service_principal_id: id, key_id, display_name, ends_at }
          await db
            .insertInto('service_principal_credential')
            // The tenant is a later column.
            .values({ ...end, kind } as never)
            .execute()
        }
      }
    }
  },
}
