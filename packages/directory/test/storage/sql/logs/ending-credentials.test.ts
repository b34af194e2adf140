import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryDatabase } from '../../../../../../test/fixtures/directory/memory-database.ts'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import { type Storage, sqlStorage } from '../../../../src/storage/storage.ts'
import { ListeningDatabase } from '../listening-database.ts'

const now = new Date('2030-01-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
const asked: readonly (readonly [string, (storage: Storage) => Promise<unknown>])[] = [
  ['of a tenant', (storage) => storage.findEndingCredentials(guid(1), now, inDays(30), 20)],
  ['of all tenants', (storage) => storage.tidy(now, undefined)],
]

describe('the expiring credentials', () => {
  for (const [title, ask] of asked)
    it(`${title} are found by expiry, without reading objects that have no credential`, async () => {
      const side = new ListeningDatabase(':memory:')
      const { database } = await memoryDatabase(side)
      const storage = sqlStorage(database)
      await ask(storage)
      const statements = side.statements.filter((text) => text.includes('as credential'))
      assert.ok(statements.length > 0)
      for (const statement of statements) {
        const plan = side.planOf(statement)
        const credentials = plan.filter((step) => step.includes('credential'))
        assert.ok(credentials.length > 0, plan.join('\n'))
        for (const step of credentials)
          assert.match(
            step,
            /^SEARCH credential USING INDEX \w+_end \(tenant_id=\? AND ends_at>\? AND/,
          )
        for (const step of plan.filter((one) => one.includes(' owner')))
          assert.match(step, /^SEARCH owner USING INDEX sqlite_autoindex_\w+ \(id=\?\)/)
      }
      await storage.close()
    })
})
