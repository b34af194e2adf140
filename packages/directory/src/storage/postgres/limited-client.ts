import type { PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'

/** PostgreSQL settings in milliseconds; 0 is no limit. */
export type TimeLimits = Readonly<
  Record<'lock_timeout' | 'statement_timeout' | 'idle_in_transaction_session_timeout', number>
>

const beginnings = ['begin', 'start transaction']
const ends: ReadonlySet<string> = new Set(['commit', 'rollback'])

/**
 * A connection whose transactions have time limits. A statement outside of a transaction gets one.
 *
 * A connection pooler refuses limits at the start of a connection, or ignores them, and it gives the
 * connection of a session to others after each transaction. So the limits are those of a transaction.
 */
export class LimitedClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #limits: string
  #isInTransaction = false

  /** @param client must be in pipeline mode: the limits then take no round trip of their own */
  constructor(client: pg.PoolClient, limits: TimeLimits) {
    this.#client = client
    this.#limits = Object.entries(limits)
      .map(([name, ms]) => `set local ${name} = ${ms}`)
      .join('; ')
  }

  query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query(): never
  query<Row>(sql = '', parameters: readonly unknown[] = []): Promise<PostgresQueryResult<Row>> {
    if (beginnings.some((words) => sql.startsWith(words))) {
      this.#isInTransaction = true
      return this.#send(`${sql}; ${this.#limits}`)
    }
    if (ends.has(sql)) this.#isInTransaction = false
    else if (!this.#isInTransaction) return this.#inTransaction(sql, parameters)
    return this.#send(sql, parameters)
  }

  /** @param isBroken closes the connection */
  release(isBroken?: boolean): void {
    this.#client.release(isBroken)
  }

  /** All three are sent before the first answer. */
  async #inTransaction<Row>(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<Row>> {
    const [begun, answer, committed] = await Promise.allSettled([
      this.#send(`begin; ${this.#limits}`),
      this.#send<Row>(sql, parameters),
      this.#send('commit'),
    ])
    if (begun.status === 'rejected') throw begun.reason
    if (answer.status === 'rejected') throw answer.reason
    if (committed.status === 'rejected') throw committed.reason
    return answer.value
  }

  #send<Row>(sql: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<Row>> {
    return this.#client.query(sql, [...parameters]) as unknown as Promise<PostgresQueryResult<Row>>
  }
}
