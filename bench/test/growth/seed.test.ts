import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openStorage } from '../../../services/identity-provider/src/storage/storage.ts'
import { seedStore } from '../../growth/seed.ts'

const options = { seed: 'a', applications: 3, audit: 700, at: new Date('2026-11-22T12:00:00Z') }

describe('a seeded store', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'greeting-seed-'))
  })
  after(() => rm(folder, { recursive: true }))

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
