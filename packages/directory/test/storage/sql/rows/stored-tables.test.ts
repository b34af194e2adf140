import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryDatabase } from '../../../../../../test/fixtures/directory/memory-database.ts'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import { rowsOfTenant, storedTables } from '../../../../src/storage/sql/rows/stored-tables.ts'
import { ListeningDatabase } from '../listening-database.ts'

describe('the rows of one tenant', () => {
  for (const table of storedTables.filter(({ tenant }) => tenant !== undefined))
    it(`of ${table.name} are found by an index, without the rows of other tenants`, async () => {
      const side = new ListeningDatabase(':memory:')
      const { database } = await memoryDatabase(side)
      assert.deepEqual(
        (await database.ask((db) => rowsOfTenant(table, guid(1)).execute(db))).rows,
        [],
      )
      const plan = side.planOf(side.statements.at(-1) ?? '')
      assert.ok(plan.length > 0)
      assert.deepEqual(
        plan.filter((step) => step.startsWith('SCAN')),
        [],
      )
      await database.close()
    })
})
