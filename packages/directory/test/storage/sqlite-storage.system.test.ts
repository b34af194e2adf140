import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { openLocalStorage } from '../../../../test/fixtures/directory/local-storage.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { openSqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'
import { directoryLookupConformance } from './directory-lookup-conformance.ts'
import { ReusedStores } from './reused-stores.ts'
import { storageConformance } from './storage-conformance.ts'

const folders: string[] = []

const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'greeting-sqlite-'))
  folders.push(folder)
  return folder
}

const fileIn = (folder: string) => join(folder, 'greeting.sqlite')

/** A file with empty tables. Its copies save each store the migrations. */
const emptyFile = (async () => {
  const dataDir = await newFolder()
  await (await openLocalStorage({ dataDir })).close()
  return fileIn(dataDir)
})()

const storesOpenedBy = (open: (path: string) => Promise<SqlDatabase>) =>
  new ReusedStores(async () => {
    const path = fileIn(await newFolder())
    await copyFile(await emptyFile, path)
    return () => open(path)
  })

const stores = storesOpenedBy((path) => openSqliteDatabase(path))
/** Stores that answer each question of a follower in one step, as after some time. */
const storesInOneStep = storesOpenedBy((path) => openSqliteDatabase(path, { oneStepAfter: 0 }))

after(async () => {
  await Promise.all([stores, storesInOneStep].map((some) => some.close()))
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))
})

storageConformance('SQLite', stores)

describe('the lookups of a directory in SQLite, each as one combined query,', () => {
  storesInOneStep.emptyAfterUse()
  directoryLookupConformance(storesInOneStep.fresh)
})
