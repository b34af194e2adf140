import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, it } from 'node:test'
import { put, remove } from '../../src/directory/directory-change.ts'
import { DirectoryStore } from '../../src/directory-store/directory-store.ts'
import { application, guid, servicePrincipal, tenant } from '../directory/sample.ts'
import { openLocalStorage } from '../fakes/local-storage.ts'
import { commitAt, markAt } from './sample-commit.ts'

const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

async function freshFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'greeting-names-'))
  folders.push(dataDir)
  return dataDir
}

const api = application({ displayName: 'ÜBER', identifierUris: ['api://Greeting'] })

/** A store whose rows a server of the former release has written: without keys. */
async function formerStore() {
  const dataDir = await freshFolder()
  const storage = await openLocalStorage({ dataDir })
  const changes = [
    put('tenant', tenant()),
    put('application', api),
    put('servicePrincipal', servicePrincipal()),
  ]
  await storage.directory.commit(commitAt(0), markAt(1), changes, [])
  const database = new DatabaseSync(join(dataDir, 'greeting.sqlite'))
  database.exec(`
    update application set name_key = null, word_starts = null;
    update service_principal set name_key = null, word_starts = null;
    delete from identifier_uri;
  `)
  const unnamed = () =>
    database.prepare('select count(*) as number from application where name_key is null').get()
      ?.number
  const uris = () =>
    database
      .prepare('select uri_key from identifier_uri')
      .all()
      .map((row) => row.uri_key)
  return { dataDir, storage, unnamed, uris, database }
}

it('finds objects of a former release by their names before the keys are filled', async () => {
  const { storage, database } = await formerStore()
  const store = new DirectoryStore({ log: storage.directory })
  const found = await store.read((all) => all.servicePrincipalByName(guid(1), 'api://Greeting'))
  assert.equal(found?.id, servicePrincipal().id)
  const { objects } = await store.list({
    kind: 'application',
    tenantId: guid(1),
    conditions: [{ index: 'displayName', operator: 'eq', text: 'über' }],
    isIndexed: true,
    matches: ({ displayName }) => displayName === 'ÜBER',
    after: undefined,
    limit: 10,
    isCounted: false,
  })
  assert.deepEqual(objects, [api])
  database.close()
  await storage.close()
})

it('fills the keys of a former release in the cleanup and at the start', async () => {
  const { dataDir, storage, unnamed, uris, database } = await formerStore()
  assert.equal(unnamed(), 1)
  await storage.directory.prune()
  assert.deepEqual([unnamed(), uris()], [0, ['api://greeting']])
  database.exec(
    'update application set name_key = null, word_starts = null; delete from identifier_uri',
  )
  await storage.close()
  const again = await openLocalStorage({ dataDir })
  assert.deepEqual([unnamed(), uris()], [0, ['api://greeting']])
  database.close()
  await again.close()
})

it('prunes the records of removed objects that no follower needs', async () => {
  const dataDir = await freshFolder()
  const storage = await openLocalStorage({ dataDir })
  const { directory } = storage
  await directory.commit(commitAt(0), markAt(1), [remove('tenant', 'old')], [])
  const database = new DatabaseSync(join(dataDir, 'greeting.sqlite'))
  const removed = () =>
    database
      .prepare('select id from removed_object')
      .all()
      .map(({ id }) => id)
  await directory.prune()
  assert.deepEqual(removed(), ['old'])
  database.exec("update revision set number = 20000 where log = 'directory'")
  const known = { revision: 20_000, mark: null }
  await directory.commit(known, markAt(20_001), [remove('application', 'new')], [])
  await directory.prune()
  assert.deepEqual(removed(), ['new'])
  assert.equal((await directory.changesAfter(commitAt(1))).changes, undefined, 'too far behind')
  assert.deepEqual(
    (await directory.changesAfter(known)).changes?.map(({ id }) => id),
    ['new'],
  )
  database.close()
  await storage.close()
})
