import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { openSqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'
import { openLocalStorage } from '../fakes/local-storage.ts'
import { changeListConformance } from './change-list-conformance.ts'
import { directoryListConformance } from './directory-list-conformance.ts'
import { directoryLogConformance } from './directory-log-conformance.ts'
import { directoryLookupConformance } from './directory-lookup-conformance.ts'
import { endingCredentialsConformance } from './ending-credentials-conformance.ts'
import { issuanceRecordConformance } from './issuance-record-conformance.ts'
import { keyRingStoreConformance } from './key-ring-store-conformance.ts'
import { replicaCommitsConformance } from './replica-commits-conformance.ts'
import { ReusedStores } from './reused-stores.ts'

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

for (const [title, conformance, used] of [
  ['a directory log in SQLite (AS31)', directoryLogConformance, stores],
  ['the commits of replicas in SQLite', replicaCommitsConformance, stores],
  ['the lookups of a directory in SQLite', directoryLookupConformance, stores],
  [
    'the lookups of a directory in SQLite, each in one step',
    directoryLookupConformance,
    storesInOneStep,
  ],
  ['the lists of a directory in SQLite', directoryListConformance, stores],
  ['the changes of a tenant in SQLite', changeListConformance, stores],
  ['ending credentials in SQLite', endingCredentialsConformance, stores],
  ['a key ring in SQLite', keyRingStoreConformance, stores],
  ['the records of issuing in SQLite (AS20)', issuanceRecordConformance, stores],
] as const)
  describe(title, () => {
    used.emptyAfterUse()
    conformance(used.fresh)
  })
