import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PostgresServer } from '../../../../fixtures/postgres-server.ts'
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { ReusedStores } from './reused-stores.ts'
import { storageConformance } from './storage-conformance.ts'

let server: PostgresServer
/** A database with empty tables. Its copies save each store the migrations. */
let template: string
const stores = new ReusedStores(async () => {
  const url = await server.database(template)
  return () => openPostgresDatabase(url)
})

before(async () => {
  server = await PostgresServer.start()
  template = await server.database()
  await (await openStorage({ dataDir: '', databaseUrl: template })).close()
})

after(async () => {
  await stores.close()
  await server.stop()
})

describe('the start of servers on an empty PostgreSQL', () => {
  it('makes the tables once when six servers start at the same time', async () => {
    const databaseUrl = await server.database()
    const open = () => openStorage({ dataDir: '', databaseUrl })
    const storages = await Promise.all(Array.from({ length: 6 }, open))
    const positions = storages.map(async ({ directory }) => await directory.latest())
    assert.deepEqual(
      new Set((await Promise.all(positions)).map(({ revision }) => revision)),
      new Set([0]),
    )
    await Promise.all(storages.map((storage) => storage.close()))
  })

  it('needs no right to create extensions, and then has no trigrams', async () => {
    const databaseUrl = new URL(await server.database())
    const name = databaseUrl.pathname.slice(1)
    await server.query('create role limited login')
    await server.query('grant all on schema public to limited', name)
    databaseUrl.username = 'limited'
    const storage = await openStorage({ dataDir: '', databaseUrl: databaseUrl.href })
    await storage.close()
    const indexes = "select indexname from pg_indexes where indexname like '%trigrams'"
    assert.deepEqual(await server.query(indexes, name), [])
    const ofTemplate = await server.query(indexes, new URL(template).pathname.slice(1))
    assert.equal(ofTemplate.length, 4)
  })
})

storageConformance('PostgreSQL', stores)
