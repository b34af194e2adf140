import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { openSqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'
import { openStorage, type Storage, sqlStorage } from '../../src/storage/storage.ts'
import { changeListConformance } from './change-list-conformance.ts'
import { directoryListConformance } from './directory-list-conformance.ts'
import { directoryLogConformance } from './directory-log-conformance.ts'
import { directoryLookupConformance } from './directory-lookup-conformance.ts'
import { endingCredentialsConformance } from './ending-credentials-conformance.ts'
import type { FreshStorage } from './fresh-storage.ts'
import { issuanceRecordConformance } from './issuance-record-conformance.ts'
import { keyRingStoreConformance } from './key-ring-store-conformance.ts'

const folders: string[] = []
const opened: Storage[] = []

after(async () => {
  await Promise.all(opened.map((storage) => storage.close()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
})

const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-sqlite-'))
  folders.push(folder)
  return folder
}

const fileIn = (folder: string) => join(folder, 'greeting.sqlite')

/** A file with empty tables. Its copies save each test the migrations. */
const emptyFile = (async () => {
  const dataDir = await newFolder()
  await (await openStorage({ dataDir })).close()
  return fileIn(dataDir)
})()

const freshBy =
  (openIn: (dataDir: string) => Promise<Storage>): FreshStorage =>
  async () => {
    const dataDir = await newFolder()
    await copyFile(await emptyFile, fileIn(dataDir))
    return {
      open: async () => {
        const storage = await openIn(dataDir)
        opened.push(storage)
        return storage
      },
    }
  }

const fresh = freshBy((dataDir) => openStorage({ dataDir }))
/** Storage that answers each question of a follower in one step, as after some time. */
const freshInOneStep = freshBy(async (dataDir) =>
  sqlStorage(await openSqliteDatabase(fileIn(dataDir), 0)),
)

describe('a directory log in SQLite (AS31)', () => directoryLogConformance(fresh))
describe('the lookups of a directory in SQLite', () => directoryLookupConformance(fresh))
describe('the lookups of a directory in SQLite, each in one step', () =>
  directoryLookupConformance(freshInOneStep))
describe('the lists of a directory in SQLite', () => directoryListConformance(fresh))
describe('the changes of a tenant in SQLite', () => changeListConformance(fresh))
describe('ending credentials in SQLite', () => endingCredentialsConformance(fresh))
describe('a key ring in SQLite', () => keyRingStoreConformance(fresh))
describe('the records of issuing in SQLite (AS20)', () => issuanceRecordConformance(fresh))
