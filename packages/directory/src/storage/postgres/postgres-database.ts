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
 * The database at a PostgreSQL server, as it is. The first query connects.
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
 * Runs statements that do not need each other's answers in one transaction. All of them are sent before
 * the first answer, so a transaction takes two round trips. When the decisive one changes no row, nothing is
 * written.
 *
 * @param pool its connections must be in pipeline mode
 * @param decisive the index of the decisive statement
 * @returns the rows which that statement returns; undefined when nothing was written
 * @throws {Error} the error of the first statement that failed; then nothing is written
 */
export async function runPipelinedBatch(
  pool: PostgresPool,
  statements: readonly Statement[],
  decisive = 0,
): Promise<readonly unknown[] | undefined> {
  const client = await pool.connect()
  const query = ({ sql, parameters }: Statement) => client.query(sql, [...parameters])
  const command = (sql: string) => query({ sql, parameters: [] })
  try {
    const answers = await Promise.allSettled([command('begin'), ...statements.map(query)])
    const end = 2 + decisive
    const decided = answers[end - 1]
    const isConflict = decided?.status === 'fulfilled' && decided.value.rowCount === 0
    // After a conflict, the others may fail.
    const failed = (isConflict ? answers.slice(0, end) : answers).find(isRejected)
    if (failed !== undefined) throw failed.reason
    await command(isConflict ? 'rollback' : 'commit')
    return isConflict || decided?.status !== 'fulfilled' ? undefined : decided.value.rows
  } catch (cause) {
    await command('rollback').catch(() => undefined)
    throw cause
  } finally {
    client.release()
  }
}

const isRejected = (one: PromiseSettledResult<unknown>): one is PromiseRejectedResult =>
  one.status === 'rejected'
