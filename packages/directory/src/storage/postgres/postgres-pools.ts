import { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import type { PostgresAddress } from './postgres-address.ts'
import { ServersUnavailableError, StandbyError } from './postgres-fault.ts'

/** The maximum time without data on a connection in use, in milliseconds. */
const maxSilenceMs = 6000

const limits = {
  connectionTimeoutMillis: 2000,
  // Shorter than `maxSilenceMs`, so that the pool closes idle connections before the socket does.
  idleTimeoutMillis: 5000,
}

/** A statement that hangs must not block its caller. */
const timeLimits: TimeLimits = {
  statement_timeout: 5000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
}

export type PostgresPoolsOptions = {
  /**
   * Whether a statement may take any time, as the creation of an index or the wait for another server
   * that migrates; default false.
   */
  readonly isPatient?: boolean
  /** The maximum number of connections to each server; default 10. */
  readonly maxConnections?: number
}

/**
 * A pool of connections to a database on one or several servers. Each new connection goes to the
 * first usable server, beginning with the one that was used last.
 */
export class PostgresPools implements PostgresPool {
  readonly options = {}
  readonly #pools: readonly { readonly name: string; readonly pool: pg.Pool }[]
  readonly #timeLimits: TimeLimits
  #first = 0

  constructor(
    { servers, needsPrimary, tls }: PostgresAddress,
    { isPatient = false, maxConnections = 10 }: PostgresPoolsOptions = {},
  ) {
    this.#timeLimits = isPatient ? { ...timeLimits, statement_timeout: 0 } : timeLimits
    this.#pools = servers.map(({ name, url }) => ({
      name,
      pool: openPool(url, tls, { needsPrimary, isPatient, maxConnections }),
    }))
  }

  /** @throws {ServersUnavailableError} servers_unavailable when none of several servers can be used */
  async connect(): Promise<LimitedClient> {
    const inTurn = [...this.#pools.slice(this.#first), ...this.#pools.slice(0, this.#first)]
    const failures: { readonly name: string; readonly cause: unknown }[] = []
    for (const { name, pool } of inTurn) {
      try {
        const client = await pool.connect()
        this.#first = this.#pools.findIndex((one) => one.pool === pool)
        return new LimitedClient(client, this.#timeLimits)
      } catch (cause) {
        if (this.#pools.length === 1) throw cause
        failures.push({ name, cause })
      }
    }
    throw new ServersUnavailableError(failures)
  }

  async end(): Promise<void> {
    await Promise.all(this.#pools.map(({ pool }) => pool.end()))
  }
}

function openPool(
  connectionString: string,
  tls: PostgresAddress['tls'],
  {
    needsPrimary,
    isPatient,
    maxConnections,
  }: Required<PostgresPoolsOptions> & { readonly needsPrimary: boolean },
): pg.Pool {
  const pool = new pg.Pool({
    ...limits,
    connectionString,
    ...(tls !== undefined && { ssl: tls }),
    types: { getTypeParser: parserOf },
    application_name: 'greeting identity provider',
    keepAlive: true,
    // A connection sends each statement at once, before the answers to earlier ones.
    pipeline: true,
    max: maxConnections,
    ...(!isPatient && { stream: socketWithTimeout }),
    ...(needsPrimary && { onConnect: refuseStandby }),
  })
  // A broken connection is replaced, and its query fails. Without these listeners, the event would end
  // the process. The pool emits it for an idle connection, the client for one in use.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Some engines give each integer eight bytes, which the driver returns as a text. All of ours are safe integers. */
const parserOf: typeof pg.types.getTypeParser = (type, format) =>
  type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format)

// The driver ends a query after its timeout, but keeps the connection, so the next query would wait
// too. Without this limit, a server without power would be tried for a quarter of an hour.
function socketWithTimeout(): Socket {
  const socket = new Socket()
  const silence = `no data was received for ${maxSilenceMs} ms`
  return socket.setTimeout(maxSilenceMs, () => socket.destroy(new Error(silence)))
}

async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('select pg_is_in_recovery() as is_standby')
  if (rows[0]?.is_standby !== false) throw new StandbyError()
}

/** PostgreSQL settings in milliseconds; 0 is no limit. */
type TimeLimits = Readonly<
  Record<'lock_timeout' | 'statement_timeout' | 'idle_in_transaction_session_timeout', number>
>

const beginnings = ['begin', 'start transaction']
const ends: ReadonlySet<string> = new Set(['commit', 'rollback'])

/**
 * A connection whose transactions have time limits. A statement outside of a transaction gets one.
 *
 * A connection pooler refuses limits at the start of a connection, or ignores them, and it gives the
 * connection of a session to others after each transaction. So the limits apply to a transaction.
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
