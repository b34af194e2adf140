import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  openStorage,
  type Storage,
} from '../../../services/identity-provider/src/storage/storage.ts'
import { seedRoles, seedStore, seedTenants } from '../../growth/seed.ts'

const options = { seed: 'a', applications: 3, audit: 700, at: new Date('2026-11-22T12:00:00Z') }

/** How many objects a store has. */
async function contentOf(storage: Storage) {
  const { changes = [] } = await storage.directory.changesAfter()
  const of = (kind: string) => changes.filter((change) => change.kind === kind)
  return {
    tenants: of('tenant').length,
    assignments: of('appRoleAssignment').length,
    secrets: of('application').filter(
      ({ value }) =>
        value && 'passwordCredentials' in value && value.passwordCredentials.length > 0,
    ).length,
  }
}

describe('a seeded store', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'greeting-seed-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('has more tenants, and clients with many roles, when they are added', async () => {
    const storage = await openStorage({ dataDir: join(folder, 'more') })
    await seedStore(storage, { ...options, audit: 0 })
    assert.deepEqual(await contentOf(storage), { tenants: 1, assignments: 3, secrets: 3 })
    await seedTenants(storage, options.seed, 2, options.at)
    assert.deepEqual(await contentOf(storage), { tenants: 3, assignments: 5, secrets: 5 })
    await seedRoles(storage, options, { roles: 12, assigned: [1, 10] })
    assert.deepEqual(await contentOf(storage), { tenants: 3, assignments: 16, secrets: 5 })
    await storage.close()
  })

  it('has the same clients and audit records when it is seeded again', async () => {
    const contents = []
    for (const dataDir of ['one', 'other'].map((name) => join(folder, name))) {
      const storage = await openStorage({ dataDir })
      await seedStore(storage, options)
      const { changes = [] } = await storage.directory.changesAfter()
      const clients = changes.filter(({ kind }) => kind === 'application')
      assert.equal(clients.length, 4, 'three clients and their API')
      const { records } = await storage.audit.find({ book: 'signIns', limit: 1000 })
      assert.equal(records.length, 700)
      assert.deepEqual(records[0]?.at, options.at)
      contents.push([clients, records.map(({ id, ...record }) => record)])
      await storage.close()
    }
    assert.deepEqual(contents[0], contents[1])
  })
})
