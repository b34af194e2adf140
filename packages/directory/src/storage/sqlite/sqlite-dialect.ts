import { setTimeout } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import type { SqliteChannel } from './sqlite-channel.ts'
import { isBusy } from './sqlite-fault.ts'

/** The default time, in milliseconds, for which a write waits until another process has written. */
export const defaultMaxWaitMs = 5000

const maxPauseMs = 20

/**
 * Kysely over a channel to `node:sqlite`, for a file that several processes may write to.
 *
 * @param maxWaitMs the time that a write waits for the writer of another process
 */
export const nodeSqliteDialect = (channel: SqliteChannel, maxWaitMs: number): Dialect => ({
  createDriver: () => channelDriver(channel, maxWaitMs),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new TransactionalSqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
})

/** Repeats a write while another process writes. The pauses let other statements of this thread run. */
export async function untilUnlocked<Result>(
  maxWaitMs: number,
  write: () => Promise<Result>,
): Promise<Result> {
  const endMs = performance.now() + maxWaitMs
  for (;;) {
    try {
      return await write()
    } catch (cause) {
      if (!isBusy(cause) || performance.now() >= endMs) throw cause
      await setTimeout(Math.random() * maxPauseMs)
    }
  }
}

/** SQLite can run a migration in a transaction. Kysely requests it only from an adapter like this. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

/** The adapter allows one connection only, so Kysely gives it to one caller at a time. */
function channelDriver(channel: SqliteChannel, maxWaitMs: number): Driver {
  const connection = new ChannelConnection(channel)
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: (_connection, { accessMode }: TransactionSettings = {}) => {
      if (accessMode === 'read only') return connection.begin('begin')
      // The lock is taken at once: a transaction that begins with a read could find, when it writes,
      // that another process wrote in between.
      return untilUnlocked(maxWaitMs, () => connection.begin('begin immediate'))
    },
    commitTransaction: () => connection.end('commit'),
    rollbackTransaction: () => connection.end('rollback'),
    destroy: () => channel.close(),
  }
}

class ChannelConnection implements DatabaseConnection {
  readonly #channel: SqliteChannel
  #isInTransaction = false

  constructor(channel: SqliteChannel) {
    this.#channel = channel
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const isInTransaction = this.#isInTransaction
    const answer = await this.#channel.execute({ sql, parameters, isInTransaction })
    const { columns, changes } = answer
    if (columns.length === 0) return { rows: [], numAffectedRows: BigInt(changes) }
    return { rows: answer.rows.map((row) => objectOf<Row>(columns, row)) }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  async begin(sql: 'begin' | 'begin immediate'): Promise<void> {
    this.#isInTransaction = false
    await this.executeQuery(CompiledQuery.raw(sql))
    this.#isInTransaction = true
  }

  /** A commit that fails leaves the transaction open: Kysely then requests the rollback. */
  async end(sql: 'commit' | 'rollback'): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(sql))
    this.#isInTransaction = false
  }
}

function objectOf<Row>(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) row[column] = values[index]
  return row as Row
}
