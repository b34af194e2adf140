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
