import { after, before, describe } from 'node:test'
import { PostgresServer } from '../../../../fixtures/postgres-server.ts'
import { openStorage, type Storage } from '../../src/storage/storage.ts'
import { directoryListConformance } from './directory-list-conformance.ts'
import { directoryLogConformance } from './directory-log-conformance.ts'
import { directoryLookupConformance } from './directory-lookup-conformance.ts'
import type { FreshStorage } from './fresh-storage.ts'
import { issuanceRecordConformance } from './issuance-record-conformance.ts'
import { keyRingStoreConformance } from './key-ring-store-conformance.ts'

let server: PostgresServer
const opened: Storage[] = []

before(async () => {
  server = await PostgresServer.start()
})

after(async () => {
  await Promise.all(opened.map((storage) => storage.close()))
  await server.stop()
})

const fresh: FreshStorage = async () => {
  const databaseUrl = await server.database()
  return {
    open: async () => {
      const storage = await openStorage({ dataDir: '', databaseUrl })
      opened.push(storage)
      return storage
    },
  }
}

describe('a directory log in PostgreSQL (AS31)', () => directoryLogConformance(fresh))
describe('the lookups of a directory in PostgreSQL', () => directoryLookupConformance(fresh))
describe('the lists of a directory in PostgreSQL', () => directoryListConformance(fresh))
describe('a key ring in PostgreSQL', () => keyRingStoreConformance(fresh))
describe('the records of issuing in PostgreSQL (AS20)', () => issuanceRecordConformance(fresh))
