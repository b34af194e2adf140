import { sql } from 'kysely'
import type { EndingCredential } from '../ending-credentials.ts'
import type { StorageUsage } from '../storage-usage.ts'
import type { SqlDatabase } from './sql-database.ts'

const endingWithinMs = 30 * 86_400_000

const tables = { secret: 'password_credential', certificate: 'key_credential' } as const

/** Counts the credentials of present applications that end within 30 days and have not ended. */
export async function countEndingCredentials(
  database: SqlDatabase,
  now: Date,
): Promise<StorageUsage['endingCredentials']> {
  const [from, to] = [now.toISOString(), new Date(now.getTime() + endingWithinMs).toISOString()]
  const count = async (table: (typeof tables)[keyof typeof tables]) => {
    const row = await database.report((db) =>
      db
        .selectFrom(table)
        .innerJoin('application', 'application.id', `${table}.application_id`)
        .where('application.deleted_at', 'is', null)
        .where(`${table}.ends_at`, '>', from)
        .where(`${table}.ends_at`, '<=', to)
        .select(({ fn }) => fn.countAll().as('number'))
        .executeTakeFirstOrThrow(),
    )
    return Number(row.number)
  }
  return { secret: await count(tables.secret), certificate: await count(tables.certificate) }
}

type Row = {
  readonly kind: EndingCredential['kind']
  readonly key_id: string
  readonly display_name: string | null
  readonly ends_at: string
  readonly app_id: string
  readonly name: string
}

/** Finds the credentials of a tenant that end from one time to another, the first end first. */
export async function findEndingCredentials(
  database: SqlDatabase,
  tenantId: string,
  from: Date,
  to: Date,
  limit: number,
): Promise<readonly EndingCredential[]> {
  const [start, end] = [from.toISOString(), to.toISOString()]
  const of = (kind: keyof typeof tables) => sql`
    select ${sql.lit(kind)} as kind, key_id, credential.display_name, ends_at, app_id,
      application.display_name as name
    from ${sql.table(tables[kind])} as credential
    inner join application on application.id = application_id
    where tenant_id = ${tenantId} and deleted_at is null and ends_at >= ${start} and ends_at < ${end}`
  const { rows } = await database.report((db) =>
    sql<Row>`${of('secret')} union all ${of('certificate')} order by ends_at, key_id limit ${limit}`.execute(
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
