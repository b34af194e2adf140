import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryDatabase } from '../../../../test/fixtures/directory/memory-database.ts'
import { guid, servicePrincipal, tenant } from '../../../../test/fixtures/directory/sample.ts'
import { commitAt, markAt } from '../../../../test/fixtures/directory/sample-commit.ts'
import type { ListQuery } from '../../src/live/directory-list.ts'
import { put } from '../../src/model/directory-change.ts'
import { listPage } from '../../src/storage/sql/lists/list-page.ts'
import { OneAtATime } from '../../src/storage/sql/lists/one-at-a-time.ts'
import { sqlStorage } from '../../src/storage/storage.ts'

describe('a page of a list', () => {
  const rows = [
    { limit: 100, pieces: 1 },
    { limit: 101, pieces: 2 },
  ]
  for (const { limit, pieces } of rows) {
    it(`of ${limit} objects is read in ${pieces === 1 ? 'one part' : 'two parts'}, with one more object that reveals a next page`, async () => {
      const { database } = await memoryDatabase()
      const { close, directory } = sqlStorage(database)
      const principals = Array.from({ length: 110 }, (_, number) =>
        put('servicePrincipal', servicePrincipal({ id: guid(number), appId: guid(number) })),
      )
      await directory.commit(commitAt(0), markAt(1), [put('tenant', tenant()), ...principals], [])
      const reports: string[] = []
      database.observe((kind) => reports.push(kind))
      const query: ListQuery<'servicePrincipal'> = {
        kind: 'servicePrincipal',
        tenantId: guid(1),
        conditions: [],
        isIndexed: true,
        matches: undefined,
        after: undefined,
        limit,
        isCounted: false,
      }
      const page = await listPage(database, query, { scans: new OneAtATime() })
      // One report looks for candidates of an index.
      assert.deepEqual(reports, Array(1 + pieces).fill('report'))
      assert.deepEqual([page.objects.length, page.next], [limit, guid(limit - 1)])
      await close()
    })
  }
})

describe('a filter without an index', () => {
  it('reads a limited number of rows for one page, and continues on the next', async () => {
    const { database } = await memoryDatabase()
    const { close, directory } = sqlStorage(database)
    const principals = Array.from({ length: 530 }, (_, number) =>
      put('servicePrincipal', servicePrincipal({ id: guid(number), appId: guid(number) })),
    )
    await directory.commit(commitAt(0), markAt(1), [put('tenant', tenant()), ...principals], [])
    let examined = 0
    const page = (after: string | undefined) => {
      const query: ListQuery<'servicePrincipal'> = {
        kind: 'servicePrincipal',
        tenantId: guid(1),
        conditions: [],
        isIndexed: false,
        matches: ({ id }) => {
          examined += 1
          return id === guid(529)
        },
        after,
        limit: 100,
        isCounted: false,
      }
      return listPage(database, query, { scans: new OneAtATime(), maxRowsPerPage: 500 })
    }
    const first = await page(undefined)
    assert.deepEqual([first.objects.length, first.next, examined], [0, guid(499), 500])
    const second = await page(first.next)
    assert.deepEqual([second.objects.map(({ id }) => id), second.next], [[guid(529)], undefined])
    await close()
  })

  it('counts one list at a time, up to a limit of rows', async () => {
    const { database } = await memoryDatabase()
    const { close, directory } = sqlStorage(database)
    const principals = Array.from({ length: 250 }, (_, number) =>
      put('servicePrincipal', servicePrincipal({ id: guid(number), appId: guid(number) })),
    )
    await directory.commit(commitAt(0), markAt(1), [put('tenant', tenant()), ...principals], [])
    const scans = new OneAtATime()
    const examined: string[] = []
    const count = async (name: string, maxCountedRows: number) => {
      const query: ListQuery<'servicePrincipal'> = {
        kind: 'servicePrincipal',
        tenantId: guid(1),
        conditions: [],
        isIndexed: false,
        // The page ends after two objects, so the other ones are examined for the count.
        matches: ({ id }) => {
          if (id > guid(200)) examined.push(name)
          return true
        },
        after: undefined,
        limit: 1,
        isCounted: true,
      }
      return (await listPage(database, query, { scans, maxCountedRows })).count
    }
    const counts = await Promise.all([count('first', 300), count('second', 300)])
    assert.deepEqual(counts, [250, 250])
    assert.deepEqual(examined, examined.toSorted())
    assert.equal(await count('third', 200), 'too_many')
    await close()
  })
})
