import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PostgresServer } from '../../../../fixtures/postgres-server.ts'
import { parsePostgresAddress } from '../../src/storage/postgres-address.ts'
import { PostgresPools } from '../../src/storage/postgres-pools.ts'
import { openStorage, type Storage } from '../../src/storage/storage.ts'
import { changeListConformance } from './change-list-conformance.ts'
import { directoryListConformance } from './directory-list-conformance.ts'
import { directoryLogConformance } from './directory-log-conformance.ts'
import { directoryLookupConformance } from './directory-lookup-conformance.ts'
import { endingCredentialsConformance } from './ending-credentials-conformance.ts'
import type { FreshStorage } from './fresh-storage.ts'
import { issuanceRecordConformance } from './issuance-record-conformance.ts'
import { keyRingStoreConformance } from './key-ring-store-conformance.ts'

let server: PostgresServer
/** A database with empty tables. Its copies save each test the migrations. */
let template: string
const opened: Storage[] = []

before(async () => {
  server = await PostgresServer.start()
  template = await server.database()
  await (await openStorage({ dataDir: '', databaseUrl: template })).close()
})

after(async () => {
  await Promise.all(opened.map((storage) => storage.close()))
  await server.stop()
})

const fresh: FreshStorage = () => storageIn(() => server.database(template))

const storageIn = async (database: () => Promise<string>) => {
  const databaseUrl = await database()
  return {
    open: async () => {
      const storage = await openStorage({ dataDir: '', databaseUrl })
      opened.push(storage)
      return storage
    },
  }
}

describe('the start of servers on an empty PostgreSQL', () => {
  it('makes the tables once when six servers start at the same time', async () => {
    const { open } = await storageIn(() => server.database())
    const storages = await Promise.all(Array.from({ length: 6 }, open))
    const positions = storages.map(async ({ directory }) => (await directory.start()).latest)
    assert.deepEqual(
      new Set((await Promise.all(positions)).map(({ revision }) => revision)),
      new Set([0]),
    )
  })

  for (const [isPatient, timeout] of [
    [true, '0'],
    [false, '5s'],
  ] as const) {
    it(`limits a statement to ${timeout} ${isPatient ? 'for migrations' : 'otherwise'}`, async () => {
      const pools = new PostgresPools(parsePostgresAddress(await server.database()), { isPatient })
      const client = await pools.connect()
      const { rows } = await client.query('show statement_timeout', [])
      client.release()
      await pools.end()
      assert.deepEqual(rows, [{ statement_timeout: timeout }])
    })
  }
})

describe('a directory log in PostgreSQL (AS31)', () => directoryLogConformance(fresh))
describe('the lookups of a directory in PostgreSQL', () => directoryLookupConformance(fresh))
describe('the lists of a directory in PostgreSQL', () => directoryListConformance(fresh))
describe('the changes of a tenant in PostgreSQL', () => changeListConformance(fresh))
describe('ending credentials in PostgreSQL', () => endingCredentialsConformance(fresh))
describe('a key ring in PostgreSQL', () => keyRingStoreConformance(fresh))
describe('the records of issuing in PostgreSQL (AS20)', () => issuanceRecordConformance(fresh))
