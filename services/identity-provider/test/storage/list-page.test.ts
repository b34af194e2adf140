import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { put } from '../../src/directory/directory-change.ts'
import { sqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts'
import { sqlStorage } from '../../src/storage/storage.ts'
import { guid, servicePrincipal, tenant } from '../directory/sample.ts'
import { commitAt, markAt } from './sample-commit.ts'

it('reads at most 5,000 rows for one page of a filter without an index, and continues', async () => {
  const database = sqliteDatabase(new DatabaseSync(':memory:'), ':memory:')
  await database.migrate()
  const { close, directory } = sqlStorage(database)
  const principals = Array.from({ length: 5300 }, (_, number) =>
    put('servicePrincipal', servicePrincipal({ id: guid(number), appId: guid(number) })),
  )
  await directory.commit(commitAt(0), markAt(1), [put('tenant', tenant()), ...principals], [])
  let examined = 0
  const page = (after: string | undefined) =>
    directory.list({
      kind: 'servicePrincipal',
      tenantId: guid(1),
      conditions: [],
      isIndexed: false,
      matches: ({ id }) => {
        examined += 1
        return id === guid(5299)
      },
      after,
      limit: 100,
      isCounted: false,
    })
  const first = await page(undefined)
  assert.deepEqual([first.objects.length, first.next, examined], [0, guid(4999), 5000])
  const second = await page(first.next)
  assert.deepEqual([second.objects.map(({ id }) => id), second.next], [[guid(5299)], undefined])
  await close()
})
