import { type RawBuilder, sql } from 'kysely'
import type { EndingCredential } from '../../../audit/ending-credentials.ts'
import type { StorageUsage } from '../../../audit/storage-usage.ts'
import type { SqlDatabase } from '../sql-database.ts'

const endingWithinMs = 30 * 86_400_000

/** The tables of credentials, with the objects that have them. */
const sources = [
  { kind: 'secret', table: 'password_credential', owner: 'application' },
  { kind: 'certificate', table: 'key_credential', owner: 'application' },
  { kind: 'secret', table: 'service_principal_credential', owner: 'service_principal' },
  { kind: 'certificate', table: 'service_principal_credential', owner: 'service_principal' },
] as const

type Source = (typeof sources)[number]

/**
 * The credentials of a tenant, as `credential`, with the present object that has each. SQLite has no
 * statistics: a cross join keeps its order, so an index finds the ends, and each of them its object.
 */
const presentIn = (
  { kind, owner, table }: Source,
  tenantId: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  ${sql.table(table)} as credential cross join ${sql.table(owner)} as owner
  where credential.tenant_id = ${tenantId} and owner.id = credential.${sql.ref(`${owner}_id`)}
    and owner.deleted_at is null
    ${owner === 'application' ? sql`` : sql`and credential.kind = ${kind}`}`

/** Counts the credentials of objects that expire within 30 days and have not expired. Deleted objects are left out. */
export async function countEndingCredentials(
  database: SqlDatabase,
  now: Date,
): Promise<StorageUsage['endingCredentials']> {
  const [from, to] = [now.toISOString(), new Date(now.getTime() + endingWithinMs).toISOString()]
  const counts = { secret: 0, certificate: 0 }
  for (const source of sources) {
    const { rows } = await database.report((db) =>
      sql<{ number: number | string }>`
        select count(*) as number from tenant cross join ${presentIn(source, sql`tenant.id`)}
          and ends_at > ${from} and ends_at <= ${to}
      `.execute(db),
    )
    counts[source.kind] += Number(rows[0]?.number)
  }
  return counts
}

type Row = {
  readonly kind: EndingCredential['kind']
  readonly key_id: string
  readonly display_name: string | null
  readonly ends_at: string
  readonly app_id: string
  readonly name: string
}

/** Finds the credentials of a tenant that expire between two times, the earliest first. */
export async function findEndingCredentials(
  database: SqlDatabase,
  tenantId: string,
  from: Date,
  to: Date,
  limit: number,
): Promise<readonly EndingCredential[]> {
  const [start, end] = [from.toISOString(), to.toISOString()]
  const parts = sources.map(
    (source) => sql`
      select * from (
        select ${sql.lit(source.kind)} as kind, key_id, credential.display_name, ends_at, app_id,
          owner.display_name as name
        from ${presentIn(source, sql`${tenantId}`)} and ends_at >= ${start} and ends_at < ${end}
        order by ends_at, key_id limit ${limit}
      ) as part`,
  )
  const { rows } = await database.report((db) =>
    sql<Row>`${sql.join(parts, sql` union all `)} order by ends_at, key_id limit ${limit}`.execute(
      db,
    ),
  )
  return rows.map((row) => ({
    kind: row.kind,
    keyId: row.key_id,
    displayName: row.display_name,
    endDateTime: new Date(row.ends_at),
    appId: row.app_id,
    applicationName: row.name,
  }))
}
