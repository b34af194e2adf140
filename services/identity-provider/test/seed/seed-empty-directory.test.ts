import assert from 'node:assert/strict'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { secretSha256, systemRuntime } from '@greeting/directory'
import { DirectoryStore, StorageUnavailableError } from '@greeting/directory/live'
import type { DirectoryLog } from '../../../../packages/directory/src/live/directory-log.ts'
import { delegatingLog } from '../../../../test/fixtures/directory/delegating-log.ts'
import { MemoryDirectoryLog } from '../../../../test/fixtures/directory/memory-directory-log.ts'
import { wholeDirectory } from '../../../../test/fixtures/directory/whole-directory.ts'
import { freshFolder } from '../../../../test/fixtures/fresh-folder.ts'
import { seedEmptyDirectory } from '../../src/seed/seed-empty-directory.ts'
import { apiId, clientId, greeting, tenantId } from '../endpoints/test-service.ts'

const seed = (log: DirectoryLog, dataDir: string) =>
  seedEmptyDirectory(new DirectoryStore({ log }), async () => greeting, dataDir, systemRuntime)
const age = (path: string, minutes: number) => {
  const at = new Date(Date.now() - minutes * 60_000)
  return utimes(path, at, at)
}
const readSeeded = (dataDir: string) => readFile(join(dataDir, 'seeded.json'), 'utf8')

describe('seeding a directory', () => {
  it('performs the six registration steps if it is empty, and writes the secret once for its owner only', async () => {
    const log = new MemoryDirectoryLog()
    const dataDir = freshFolder()
    assert.equal(await seed(log, dataDir), true)

    const seeded = JSON.parse(await readSeeded(dataDir))
    const { clientSecret } = seeded.clients[0]
    assert.deepEqual(seeded, {
      tenantId,
      apis: [
        { displayName: 'Greeting API', applicationId: apiId, identifierUri: `api://${apiId}` },
      ],
      clients: [{ displayName: 'Greeting client', applicationId: clientId, clientSecret }],
    })
    const { mode } = await stat(join(dataDir, 'seeded.json'))
    assert.equal(mode & 0o777, 0o600)
    assert.deepEqual(await readdir(dataDir), ['seeded.json'])

    const directory = await wholeDirectory(new DirectoryStore({ log }))
    const api = directory.servicePrincipalByName(tenantId, `api://${apiId}`)
    const client = directory.servicePrincipalByAppId(tenantId, clientId)
    const application = directory.applicationByAppId(clientId)
    assert.equal(directory.assignmentsOf(client?.id ?? '').length, 2)
    assert.equal(directory.assignmentsTo(api?.id ?? '').length, 2)
    assert.equal(application?.requiredResourceAccess[0]?.resourceAccess.length, 2)
    assert.deepEqual(application?.passwordCredentials[0]?.secretSha256, secretSha256(clientSecret))
    assert.equal(new Set([application?.id, application?.appId, client?.id]).size, 3)
  })

  it('changes nothing in a directory with content, and does not read the file', async () => {
    const log = new MemoryDirectoryLog()
    const dataDir = freshFolder()
    await seed(log, dataDir)
    const written = await readSeeded(dataDir)
    const unread = () => assert.fail('the file was read')
    const store = new DirectoryStore({ log })
    assert.equal(await seedEmptyDirectory(store, unread, dataDir, systemRuntime), false)
    assert.equal(await readSeeded(dataDir), written)
    assert.equal((await wholeDirectory(store)).revision, 1)
  })

  it('writes the file once when several servers start in one folder at the same time', async () => {
    const log = new MemoryDirectoryLog()
    const dataDir = freshFolder()
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => seed(log, dataDir)))
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.deepEqual(await readdir(dataDir), ['seeded.json'])
    const directory = await wholeDirectory(new DirectoryStore({ log }))
    const [credential] = directory.applicationByAppId(clientId)?.passwordCredentials ?? []
    const [{ clientSecret }] = JSON.parse(await readSeeded(dataDir)).clients
    assert.deepEqual(credential?.secretSha256, secretSha256(clientSecret))
  })

  it('keeps the secret if the process dies between the commit and the rename of the file', async () => {
    const log = new MemoryDirectoryLog()
    const dataDir = freshFolder()
    await seed(log, dataDir)
    const written = await readSeeded(dataDir)
    await rm(join(dataDir, 'seeded.json'))
    await writeFile(join(dataDir, `seeded.json.${crypto.randomUUID()}`), written)
    const cut = join(dataDir, `seeded.json.${crypto.randomUUID()}`)
    await writeFile(cut, '{"tenantId')
    await age(cut, 61)

    assert.equal(await seed(log, dataDir), false)
    assert.equal(await readSeeded(dataDir), written)
    assert.deepEqual(await readdir(dataDir), ['seeded.json'])
  })

  it('removes an uncommitted secret if the process died before the commit', async () => {
    const log = new MemoryDirectoryLog()
    const dead = delegatingLog(() => log, {
      commit: async () => {
        throw new StorageUnavailableError('the power went')
      },
    })
    const dataDir = freshFolder()
    await assert.rejects(seed(dead, dataDir), StorageUnavailableError)
    const [draft = ''] = await readdir(dataDir)
    assert.equal(await seed(log, dataDir), true)
    await age(join(dataDir, draft), 61)
    assert.equal(await seed(log, dataDir), false)
    assert.deepEqual(await readdir(dataDir), ['seeded.json'])
  })

  it('keeps the staged file of another server that has not yet committed', async () => {
    const [log, otherLog] = [new MemoryDirectoryLog(), new MemoryDirectoryLog()]
    const dataDir = freshFolder()
    await seed(log, dataDir)
    const beside = delegatingLog(() => otherLog, {
      commit: async (...commit) => {
        assert.equal(await seed(log, dataDir), false)
        return otherLog.commit(...commit)
      },
    })
    assert.equal(await seed(beside, dataDir), true)
    const [{ clientSecret }] = JSON.parse(await readSeeded(dataDir)).clients
    const directory = await wholeDirectory(new DirectoryStore({ log: otherLog }))
    const [credential] = directory.applicationByAppId(clientId)?.passwordCredentials ?? []
    assert.deepEqual(credential?.secretSha256, secretSha256(clientSecret))
  })
})
