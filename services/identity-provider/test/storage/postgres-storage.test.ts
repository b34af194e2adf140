import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PostgresServer } from '../../../../fixtures/postgres-server.ts'
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts'
import { parsePostgresAddress } from '../../src/storage/postgres-address.ts'
import { PostgresPools } from '../../src/storage/postgres-pools.ts'
import { openStorage } from '../../src/storage/storage.ts'
import { changeListConformance } from './change-list-conformance.ts'
import { directoryListConformance } from './directory-list-conformance.ts'
import { directoryLogConformance } from './directory-log-conformance.ts'
import { directoryLookupConformance } from './directory-lookup-conformance.ts'
import { endingCredentialsConformance } from './ending-credentials-conformance.ts'
import { issuanceRecordConformance } from './issuance-record-conformance.ts'
import { keyRingStoreConformance } from './key-ring-store-conformance.ts'
import { replicaCommitsConformance } from './replica-commits-conformance.ts'
import { ReusedStores } from './reused-stores.ts'

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
    const positions = storages.map(async ({ directory }) => (await directory.start()).latest)
    assert.deepEqual(
      new Set((await Promise.all(positions)).map(({ revision }) => revision)),
      new Set([0]),
    )
    await Promise.all(storages.map((storage) => storage.close()))
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

for (const [title, conformance] of [
  ['a directory log in PostgreSQL (AS31)', directoryLogConformance],
  ['the commits of replicas in PostgreSQL', replicaCommitsConformance],
  ['the lookups of a directory in PostgreSQL', directoryLookupConformance],
  ['the lists of a directory in PostgreSQL', directoryListConformance],
  ['the changes of a tenant in PostgreSQL', changeListConformance],
  ['ending credentials in PostgreSQL', endingCredentialsConformance],
  ['a key ring in PostgreSQL', keyRingStoreConformance],
  ['the records of issuing in PostgreSQL (AS20)', issuanceRecordConformance],
] as const)
  describe(title, () => {
    stores.emptyAfterUse()
    conformance(stores.fresh)
  })
