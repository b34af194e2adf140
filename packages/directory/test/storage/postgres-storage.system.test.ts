import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  needsOwnServer,
  type PostgresDatabases,
  postgresDatabases,
} from '../../../../test/fixtures/postgres-databases.ts'
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { ReusedStores } from './reused-stores.ts'
import { storageConformance } from './storage-conformance.ts'

const { STORAGE_TEST_URL: url, POSTGRES_PROGRAMS: release } = process.env
const skip = needsOwnServer(url)

let server: PostgresDatabases
/** A database with empty tables. Its copies save each store the migrations. */
let template: string
const stores = new ReusedStores(async () => {
  const url = await server.database(template)
  return () => openPostgresDatabase(url)
})

before(async () => {
  server = await postgresDatabases(url, release)
  template = await server.database()
  await (await openStorage({ dataDir: '', databaseUrl: template })).close()
})

after(async () => {
  await stores.close()
  await server.stop()
})

describe('the start of servers on an empty PostgreSQL', () => {
  it('creates the tables once if six servers start at the same time', async () => {
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

  it('works without permission to create extensions, and then without trigrams', {
    skip,
  }, async () => {
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

describe('the tables in PostgreSQL', () => {
  it('have neither triggers nor functions', async () => {
    const name = new URL(template).pathname.slice(1)
    const triggers = 'select tgname from pg_trigger where not tgisinternal'
    const functions = `select proname from pg_proc where pronamespace = 'public'::regnamespace
      and oid not in (select objid from pg_depend where deptype = 'e')`
    assert.deepEqual(await server.query(triggers, name), [])
    assert.deepEqual(await server.query(functions, name), [])
  })

  for (const [locale, collation] of [
    ['C', 'default'],
    ['und', 'C'],
  ])
    it(`order names by byte in a database with the locale ${locale}`, {
      skip,
    }, async () => {
      const name = `locale_${locale?.toLowerCase()}`
      const provider =
        locale === 'C' ? "lc_collate 'C'" : `locale_provider icu icu_locale '${locale}'`
      const create = `create database ${name} template template0 ${provider}`
      const [release] = await server.query('show server_version_num')
      const { server_version_num: number } = release as { readonly server_version_num: string }
      // PostgreSQL 14 has no such databases.
      if (locale !== 'C' && Number(number) < 150_000)
        return assert.rejects(server.query(create), /locale_provider/)
      await server.query(create)
      const databaseUrl = new URL(template)
      databaseUrl.pathname = name
      await (await openStorage({ dataDir: '', databaseUrl: databaseUrl.href })).close()
      const found = `select distinct collname from pg_attribute join pg_collation c
        on c.oid = attcollation where attname in ('name_key', 'uri_key') and attrelid in
        ('application'::regclass, 'service_principal'::regclass, 'identifier_uri'::regclass)`
      assert.deepEqual(await server.query(found, name), [{ collname: collation }])
    })

  it('return numbers even if the database stores integers in eight bytes', async () => {
    const databaseUrl = await server.database(template)
    const database = await openPostgresDatabase(databaseUrl)
    const eight = 'alter table revision alter column number type bigint'
    await server.query(eight, new URL(databaseUrl).pathname.slice(1))
    const rows = await database.ask((db) => db.selectFrom('revision').select('number').execute())
    assert.deepEqual(rows, [{ number: 0 }])
    await database.close()
  })

  it('contain the changes of two transactions after a deadlock between them', async () => {
    const database = await openPostgresDatabase(await server.database(template))
    await database.write((db) =>
      db.insertInto('revision').values({ log: 'directory', number: 0, mark: null }).execute(),
    )
    const both = Promise.withResolvers<void>()
    let locked = 0
    let attempts = 0
    const increment = (logs: readonly ('directory' | 'signing-keys')[]) =>
      database.write(async (db) => {
        attempts += 1
        for (const [index, log] of logs.entries()) {
          const plusOne = db
            .updateTable('revision')
            .set(({ eb }) => ({ number: eb('number', '+', 1) }))
          await plusOne.where('log', '=', log).execute()
          locked += 1
          if (locked === 2) both.resolve()
          if (index === 0) await both.promise
        }
      })
    await Promise.all([
      increment(['directory', 'signing-keys']),
      increment(['signing-keys', 'directory']),
    ])
    const rows = await database.ask((db) => db.selectFrom('revision').select('number').execute())
    // On a busy machine, the second attempt of one can wait longer than the other permits.
    assert.ok(attempts > 2, `${attempts} attempts`)
    assert.deepEqual(
      rows.map(({ number }) => number),
      [2, 2],
    )
    await database.close()
  })
})

storageConformance('PostgreSQL', stores)
