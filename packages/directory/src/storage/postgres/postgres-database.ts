// Folder: A PostgreSQL server: its address, its connections and its faults.

import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { SqlDatabase } from '../sql/sql-database.ts'
import { parsePostgresAddress } from './postgres-address.ts'
import { isRolledBack, postgresFaultOf } from './postgres-fault.ts'
import { PostgresPools, type PostgresPoolsOptions } from './postgres-pools.ts'

/** For changes of so many tenants at the same time, and for the audit log. */
const maxBatchConnections = 8

/**
 * The database at a PostgreSQL server, with its tables up to date. Replicas share it.
 *
 * @param url `postgres://user:password@host:port/name`, with the options of libpq.
 * @throws {PostgresAddressError} postgres_address_invalid
 * @throws {StorageUnavailableError} storage_unavailable when it cannot be reached or used.
 */
export async function openPostgresDatabase(url: string): Promise<SqlDatabase> {
  const migrating = postgresDatabase(url, { isPatient: true })
  try {
    await migrating.migrate()
  } finally {
    await migrating.close()
  }
  return postgresDatabase(url)
}

/**
 * Returns the database at a PostgreSQL server, without changing it. The first query connects.
 *
 * @param options `isReadOnly` permits a standby
 * @throws {PostgresAddressError} postgres_address_invalid
 */
export function postgresDatabase(
  url: string,
  { isReadOnly = false, ...options }: PostgresPoolsOptions & { readonly isReadOnly?: boolean } = {},
): SqlDatabase {
  const parsed = parsePostgresAddress(url)
  const address = isReadOnly ? { ...parsed, needsPrimary: false } : parsed
  const dialect = new PostgresDialect({ pool: new PostgresPools(address, options) })
  const batches = new PostgresPools(address, { ...options, maxConnections: maxBatchConnections })
  return new SqlDatabase({
    kysely: new Kysely({ dialect }),
    dialect,
    runBatch: (statements, decisive) => runPipelinedBatch(batches, statements, decisive),
    close: () => batches.end(),
    bytesQuery: 'select pg_database_size(current_database()) as bytes',
    clockQuery: 'select extract(epoch from clock_timestamp()) * 1000 as ms',
    faultOf: (error) => {
      const fault = postgresFaultOf(error)
      return fault && `The database ${address.name} ${fault}.`
    },
    isRolledBack,
  })
}

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Runs independent statements in one transaction, in two round trips: those up to the decisive one,
 * then the others and the commit. If the decisive one changes no row, nothing is written, and no
 * other statement has waited for a lock.
 *
 * @param pool its connections must be in pipeline mode
 * @param decisive the index of the decisive statement
 * @returns the rows which that statement returned; undefined when nothing was written
 * @throws {Error} the error of the first statement that failed; then nothing is written
 */
export async function runPipelinedBatch(
  pool: PostgresPool,
  statements: readonly Statement[],
  decisive = 0,
): Promise<readonly unknown[] | undefined> {
  const client = await pool.connect()
  /** Sends all of them before the first answer. */
  const send = async (some: readonly Statement[]) => {
    const answers = await Promise.allSettled(
      some.map(({ sql, parameters }) => client.query(sql, [...parameters])),
    )
    const failed = answers.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }
  try {
    const decided = (await send([command('begin'), ...statements.slice(0, decisive + 1)])).at(-1)
    const isConflict = decided?.rowCount === 0
    // PostgreSQL answers the commit with a rollback when a statement before it failed.
    await send(
      isConflict ? [command('rollback')] : [...statements.slice(decisive + 1), command('commit')],
    )
    return isConflict ? undefined : decided?.rows
  } catch (cause) {
    await client.query('rollback', []).catch(() => undefined)
    throw cause
  } finally {
    client.release()
  }
}

const command = (sql: string): Statement => ({ sql, parameters: [] })
