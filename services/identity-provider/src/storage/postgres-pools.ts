import { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { ServersUnavailableError, StandbyError } from './postgres/postgres-fault.ts'
import type { PostgresAddress } from './postgres-address.ts'

/** The maximum time without data on a connection in use, in milliseconds. */
const maxSilenceMs = 6000

/** One connection writes changes of the directory, another one writes to the audit log. */
const maxPipelinedConnections = 3

const limits = {
  max: 10,
  connectionTimeoutMillis: 2000,
  // Shorter than `maxSilenceMs`, so that the pool closes idle connections before the socket does.
  idleTimeoutMillis: 5000,
  // A statement that hangs must not block its caller.
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
  /** Whether a connection sends each statement at once, before the answers to earlier ones; default false. */
  readonly isPipelined?: boolean
}

/**
 * Connections to a database on one or several servers. Each new connection goes to the first server
 * that can be used. The server that was used last is tried first.
 */
export class PostgresPools implements PostgresPool {
  readonly options = {}
  readonly #pools: readonly { readonly name: string; readonly pool: pg.Pool }[]
  #first = 0

  constructor(
    { servers, needsPrimary }: PostgresAddress,
    { isPatient = false, isPipelined = false }: PostgresPoolsOptions = {},
  ) {
    this.#pools = servers.map(({ name, url }) => ({
      name,
      pool: openPool(url, { needsPrimary, isPatient, isPipelined }),
    }))
  }

  /** @throws {ServersUnavailableError} servers_unavailable when none of several servers can be used */
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

function openPool(
  connectionString: string,
  {
    needsPrimary,
    isPatient,
    isPipelined,
  }: Required<PostgresPoolsOptions> & { readonly needsPrimary: boolean },
): pg.Pool {
  const pool = new pg.Pool({
    ...limits,
    connectionString,
    application_name: 'greeting identity provider',
    keepAlive: true,
    ...(isPipelined && { pipeline: true, max: maxPipelinedConnections }),
    ...(isPatient ? { statement_timeout: 0 } : { stream: socketWithTimeout }),
    ...(needsPrimary && { onConnect: refuseStandby }),
  })
  // A broken connection is replaced, and its query fails. Without these listeners, the event would end
  // the process. The pool emits it for an idle connection, the client for one in use.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

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
