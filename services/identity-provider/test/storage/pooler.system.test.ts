import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import pg from 'pg'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { type PoolerName, startPooler } from '../../../../test/fixtures/poolers.ts'
import { PostgresServer } from '../../../../test/fixtures/postgres-server.ts'
import { startHere } from '../provider-here.ts'
import { requestToken } from '../provider-process.ts'

const server = await PostgresServer.start()
const pooler = await startPooler(server.port, process.env.POOLER as PoolerName | undefined)

after(async () => {
  await pooler.stop()
  await server.stop()
})

it('an identity provider behind a connection pooler issues tokens, and leaves no state in the sessions', async () => {
  const dataDir = freshFolder()
  const url = Object.assign(new URL(await server.database()), { port: String(pooler.port) }).href
  const provider = await startHere({ DATA_DIR: dataDir, DATABASE_URL: url })
  assert.equal((await requestToken(provider.url, dataDir)).status, 200)
  assert.equal((await fetch(`${provider.url}/readyz`)).status, 200)
  const left = await server.query(
    "select (select count(*)::int from pg_locks where locktype = 'advisory') as locks, (select count(*)::int from pg_stat_activity where state like 'idle in%') as open",
  )
  assert.deepEqual(left, [{ locks: 0, open: 0 }])
  await provider.stop()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    'select (select count(*)::int from pg_prepared_statements) as prepared, (select count(*)::int from pg_listening_channels()) as channels',
  )
  assert.deepEqual(rows, [{ prepared: 0, channels: 0 }])
  await client.end()
})
