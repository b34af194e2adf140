import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { memoryDatabase } from '../../../../../../test/fixtures/directory/memory-database.ts'
import { guid, servicePrincipal, tenant } from '../../../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../../../test/fixtures/directory/sample-commit.ts'
import type { ChangeQuery } from '../../../../src/live/change-list.ts'
import { put, remove } from '../../../../src/model/directory-change.ts'
import { type Storage, sqlStorage } from '../../../../src/storage/storage.ts'
import { ListeningDatabase } from '../listening-database.ts'

const query: ChangeQuery<'servicePrincipal'> = {
  kind: 'servicePrincipal',
  tenantId: guid(1),
  since: commitAt(1),
  until: undefined,
  ids: undefined,
  after: undefined,
  limit: 100,
}

describe('a list of changes', () => {
  let side: ListeningDatabase
  let storage: Storage

  beforeEach(async () => {
    side = new ListeningDatabase(':memory:')
    const { database } = await memoryDatabase(side)
    storage = sqlStorage(database)
    const first = [put('tenant', tenant()), put('servicePrincipal', servicePrincipal())]
    await storage.directory.commit(commitAt(0), markAt(1), first, [])
    const { id } = servicePrincipal()
    await storage.directory.commit(commitAt(1), markAt(2), [remove('servicePrincipal', id)], [])
  })

  for (const [latest, isKnown] of [
    [100_000, true],
    [100_001, false],
  ] as const) {
    it(`${isKnown ? 'continues' : 'starts again'} after commit 1 if ${latest} is the latest`, async () => {
      const { directory } = storage
      side.exec(`insert into commit_mark values ('directory', ${latest}, 'latest')`)
      await directory.prune()
      assert.equal((await directory.listChanges(query)) !== undefined, isKnown)
    })
  }

  for (const [title, part] of [
    ['changed objects', {}],
    ['all objects', { since: undefined }],
    ['a later page', { after: { revision: 2, id: guid(3) } }],
  ] as const) {
    it(`finds ${title} by index, in order`, async () => {
      side.statements.splice(0)
      await storage.directory.listChanges({ ...query, ...part })
      const [statement = ''] = side.statements.filter((text) => text.includes('as changed'))
      const plan = side.planOf(statement)
      const reads = plan.filter((step) => /^(?:SCAN|SEARCH) \w+ USING/.test(step))
      const scans = plan.filter((step) => /^SCAN (?:application|service|removed)/.test(step))
      assert.deepEqual(scans, [], plan.join('\n'))
      assert.ok(reads.length > 0, plan.join('\n'))
      for (const table of ['service_principal', 'removed_object']) {
        const own = plan.find((step) => step.includes(`${table}_of_tenant`))
        const isRead = table === 'service_principal' || !('since' in part)
        assert.equal(own !== undefined, isRead, plan.join('\n'))
      }
    })
  }
})
