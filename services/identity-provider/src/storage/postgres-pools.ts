import { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { ServersUnavailableError, StandbyError } from './postgres/postgres-fault.ts'
import type { PostgresAddress } from './postgres-address.ts'

/** How long, in milliseconds, a connection in use may be silent before it is given up. */
const longestSilenceMs = 6000

const limits = {
  max: 10,
  connectionTimeoutMillis: 2000,
  // Shorter than the silence that ends a connection in use: idle ones are closed in good order.
  idleTimeoutMillis: 5000,
  // A statement that hangs must not hang who asked.
  statement_timeout: 5000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
}

/**
 * Connections to a database with several servers: each new one goes to the first that can be used,
 * beginning with the one that was used last.
 */
export class PostgresPools implements PostgresPool {
  readonly options = {}
  readonly #pools: readonly { readonly name: string; readonly pool: pg.Pool }[]
  #first = 0

  constructor({ servers, needsPrimary }: PostgresAddress) {
    this.#pools = servers.map(({ name, url }) => ({ name, pool: openPool(url, needsPrimary) }))
  }

  /** @throws {ServersUnavailableError} servers_unavailable when there are several, and none can be used. */
  async connect(): Promise<PostgresPoolClient> {
    const inTurn = [...this.#pools.slice(this.#first), ...this.#pools.slice(0, this.#first)]
    const failures: { readonly name: string; readonly cause: unknown }[] = []
    for (const { name, pool } of inTurn) {
      try {
        const client = await pool.connect()
        this.#first = this.#pools.findIndex((one) => one.pool === pool)
        return client
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

function openPool(connectionString: string, needsPrimary: boolean): pg.Pool {
  const pool = new pg.Pool({
    ...limits,
    connectionString,
    application_name: 'greeting identity provider',
    keepAlive: true,
    stream: socketThatGivesUp,
    ...(needsPrimary && { onConnect: refuseStandby }),
  })
  // A connection that breaks is replaced, and who was using it is told by the answer. Unheard, the
  // event would end the process: of an idle connection the pool emits it, of one in use the client.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

// The driver gives up a question that is not answered, but not its connection: the next question
// would wait on it in vain, and a server that lost its power would be asked for a quarter of an hour.
function socketThatGivesUp(): Socket {
  const socket = new Socket()
  const silence = `nothing was heard for ${longestSilenceMs} ms`
  return socket.setTimeout(longestSilenceMs, () => socket.destroy(new Error(silence)))
}

async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('select pg_is_in_recovery() as is_standby')
  if (rows[0]?.is_standby !== false) throw new StandbyError()
}
