import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { postgresFaultOf } from './postgres-fault.ts'
import { SqlDatabase } from './sql-database.ts'

const limits = {
  max: 10,
  connectionTimeoutMillis: 2000,
  // A statement that hangs, on the server or on the way to it, must not hang who asked.
  statement_timeout: 5000,
  query_timeout: 6000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
}

/**
 * The database at a PostgreSQL server, with its tables up to date. Replicas share it.
 *
 * @param url `postgres://user:password@host:port/name`, with the options of libpq.
 * @throws {StorageUnavailableError} STORAGE_UNAVAILABLE when it cannot be reached or used.
 */
export async function openPostgresDatabase(url: string): Promise<SqlDatabase> {
  const pool = new pg.Pool({
    ...limits,
    connectionString: url,
    application_name: 'greeting identity provider',
    keepAlive: true,
  })
  // A connection that breaks is replaced, and who was using it is told by the answer. Unheard, the
  // event would end the process: of an idle connection the pool emits it, of one in use the client.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const database = new SqlDatabase({
    kysely: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    faultOf: (error) => {
      const fault = postgresFaultOf(error)
      return fault && `The database ${placeOf(url)} ${fault}.`
    },
  })
  try {
    await database.migrate()
    return database
  } catch (cause) {
    await database.close()
    throw cause
  }
}

/** Where the database is, without who asks for it. */
function placeOf(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: '' }
  return `${host}${pathname}`
}
