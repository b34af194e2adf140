import { Kysely, PostgresDialect } from 'kysely'
import { SqlDatabase } from '../sql/sql-database.ts'
import { runPipelinedBatch } from './pipelined-batch.ts'
import { parsePostgresAddress } from './postgres-address.ts'
import { postgresFaultOf } from './postgres-fault.ts'
import { PostgresPools, type PostgresPoolsOptions } from './postgres-pools.ts'

/** One connection writes changes of the directory, another one writes to the audit log. */
const maxBatchConnections = 3

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
 * @throws {PostgresAddressError} postgres_address_invalid
 */
export function postgresDatabase(url: string, options?: PostgresPoolsOptions): SqlDatabase {
  const address = parsePostgresAddress(url)
  const dialect = new PostgresDialect({ pool: new PostgresPools(address, options) })
  const batches = new PostgresPools(address, { ...options, maxConnections: maxBatchConnections })
  return new SqlDatabase({
    kysely: new Kysely({ dialect }),
    dialect,
    runBatch: (statements) => runPipelinedBatch(batches, statements),
    close: () => batches.end(),
    bytesQuery: 'select pg_database_size(current_database()) as bytes',
    clockQuery: 'select extract(epoch from clock_timestamp()) * 1000 as ms',
    faultOf: (error) => {
      const fault = postgresFaultOf(error)
      return fault && `The database ${address.name} ${fault}.`
    },
  })
}
