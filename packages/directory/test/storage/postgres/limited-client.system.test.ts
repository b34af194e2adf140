import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type PoolerName, startPooler } from '../../../../../test/fixtures/poolers.ts'
import { PostgresServer } from '../../../../../test/fixtures/postgres-server.ts'
import {
  openPostgresDatabase,
  postgresDatabase,
} from '../../../src/storage/postgres/postgres-database.ts'
import { LimitedClient } from '../../../src/storage/postgres/postgres-pools.ts'
import { ReusedStores } from '../reused-stores.ts'
import { storageConformance } from '../storage-conformance.ts'

let server: PostgresServer
let pooler: { readonly port: number; readonly stop: () => Promise<void> }
/** A database with empty tables, and a database for the other tests, both without the pooler. */
let template: string
let direct: string
/** The same database through the pooler. */
let url: string

const throughPooler = (databaseUrl: string) =>
  Object.assign(new URL(databaseUrl), { port: String(pooler.port) }).href

const stores = new ReusedStores(async () => {
  const one = throughPooler(await server.database(template))
  return () => openPostgresDatabase(one)
})

before(async () => {
  server = await PostgresServer.start()
  pooler = await startPooler(server.port, process.env.POOLER as PoolerName | undefined)
  template = await server.database()
  await (await openPostgresDatabase(template)).close()
  direct = await server.database(template)
  url = throughPooler(direct)
})

after(async () => {
  await stores.close()
  await pooler.stop()
  await server.stop()
})

const names = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'] as const
const settings = sql<Record<(typeof names)[number], string>>`select ${sql.join(
  names.map((name) => sql`current_setting(${sql.lit(name)}) as ${sql.ref(name)}`),
)}`
const limits = {
  lock_timeout: '2s',
  statement_timeout: '5s',
  idle_in_transaction_session_timeout: '10s',
}
const noLimits = Object.fromEntries(names.map((name) => [name, '0']))

/** Runs queries on a connection of another program to the same pooler. */
async function another<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

describe('a pooler in transaction mode', () => {
  // Pgpool-II passes the limit on.
  const skip = process.env.POOLER === 'pgpool'
  it('refuses a time limit at the start of a connection', { skip }, async () => {
    const client = new pg.Client({ connectionString: url, lock_timeout: 1000 })
    await assert.rejects(client.connect(), /unsupported startup parameter: lock_timeout/)
  })

  it("gives one client's session to another client", () =>
    another(async (one) => {
      await one.query("set application_name = 'left behind'")
      const seen = await another((other) => other.query('show lock_timeout'))
      assert.deepEqual(seen.rows, [{ lock_timeout: '0' }])
    }))
})

describe('the limits of PostgreSQL behind a pooler', () => {
  const failing = async (
    which: (typeof names)[number],
    use: (one: LimitedClient) => Promise<unknown>,
  ) => {
    const pool = new pg.Pool({ connectionString: url, pipeline: true, max: 1 })
    const client = await pool.connect()
    client.on('error', () => undefined)
    const limited = new LimitedClient(client, {
      lock_timeout: 0,
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      [which]: 50,
    })
    try {
      await use(limited)
    } finally {
      limited.release(true)
      await pool.end()
    }
  }
  const locked = async (use: () => Promise<unknown>) => {
    const holder = new pg.Client({ connectionString: direct })
    await holder.connect()
    await holder.query('begin; create table if not exists locked (); lock table locked')
    await use().finally(() => holder.end())
  }
  const rows: readonly [
    title: string,
    which: (typeof names)[number],
    code: string,
    use: (one: LimitedClient) => Promise<unknown>,
  ][] = [
    [
      'a long statement',
      'statement_timeout',
      '57014',
      (one) => one.query('select pg_sleep(9)', []),
    ],
    [
      'a long statement with parameters',
      'statement_timeout',
      '57014',
      (one) => one.query('select pg_sleep($1)', [9]),
    ],
    [
      'a long statement in a transaction',
      'statement_timeout',
      '57014',
      async (one) => {
        await one.query('begin', [])
        await one.query('select pg_sleep($1)', [9])
      },
    ],
    [
      'a statement that waits for a lock',
      'lock_timeout',
      '55P03',
      (one) => locked(() => one.query('create table if not exists locked ()', [])),
    ],
    [
      'a single-snapshot transaction that waits for a lock',
      'lock_timeout',
      '55P03',
      (one) =>
        locked(async () => {
          await one.query('start transaction isolation level repeatable read', [])
          await one.query('create table if not exists locked ()', [])
        }),
    ],
    [
      'an idle transaction',
      'idle_in_transaction_session_timeout',
      '25P03',
      async (one) => {
        await one.query('begin', [])
        await setTimeout(300)
        await one.query('select 1', [])
      },
    ],
  ]
  for (const [title, which, code, use] of rows)
    it(`cancel ${title} (${which})`, async () => {
      await assert.rejects(failing(which, use), (error: { code: string }) => {
        // When PostgreSQL ends a session, the pooler closes the connection of its client.
        const isEnded = which === 'idle_in_transaction_session_timeout'
        const reason = isEnded && /terminated|not queryable/.test(String(error)) ? code : error.code
        assert.equal(reason, code, String(error))
        return true
      })
    })

  it('apply to each kind of access separately', async () => {
    const database = await openPostgresDatabase(url)
    const read = (db: Parameters<typeof settings.execute>[0]) =>
      settings.execute(db).then((answer) => answer.rows[0])
    const seen = await Promise.all([
      database.ask(read),
      database.report(read),
      database.snapshot(read),
      database.reportSnapshot(read),
      database.write(read),
    ])
    assert.deepEqual(
      seen,
      seen.map(() => limits),
    )
    const patient = postgresDatabase(url, { isPatient: true })
    assert.deepEqual(await patient.ask(read), { ...limits, statement_timeout: '0' })
    await patient.close()
    await database.close()
    const { rows } = await another((client) =>
      client.query(`select ${names.map((name) => `current_setting('${name}') as ${name}`)}`),
    )
    assert.deepEqual(rows, [noLimits])
  })

  it('apply to a batch of statements', async () => {
    const database = await openPostgresDatabase(url)
    const table = `limits_${Date.now()}`
    await server.query(`create table ${table} (of_batch text)`, new URL(direct).pathname.slice(1))
    await database.writeBatch(async (db) => {
      await sql`insert into ${sql.table(table)} select current_setting('lock_timeout')`.execute(db)
      return []
    })
    await database.close()
    const { rows } = await another((client) => client.query(`select of_batch from ${table}`))
    assert.deepEqual(rows, [{ of_batch: '2s' }])
  })
})

storageConformance('PostgreSQL behind a pooler', stores)
