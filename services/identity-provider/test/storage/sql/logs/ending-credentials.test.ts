import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { applicationToRows } from '../../../../src/storage/sql/rows/application-rows.ts'
import { sqliteDatabase } from '../../../../src/storage/sqlite/sqlite-database.ts'
import { type Storage, sqlStorage } from '../../../../src/storage/storage.ts'
import { application, guid } from '../../../directory/sample.ts'
import { ListeningDatabase } from '../../../fakes/listening-database.ts'
import { memoryDatabase } from '../../../fakes/memory-database.ts'

const now = new Date('2030-01-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
const secret = (n: number) => ({
  keyId: guid(n),
  displayName: null,
  hint: 'abc',
  startDateTime: now,
  endDateTime: inDays(5),
  secretSha256: new Uint8Array(32),
})

const asked: readonly (readonly [string, (storage: Storage) => Promise<unknown>])[] = [
  ['of a tenant', (storage) => storage.findEndingCredentials(guid(1), now, inDays(30), 20)],
  ['of all tenants', (storage) => storage.tidy(now, undefined)],
]

describe('the ending credentials', () => {
  for (const [title, ask] of asked)
    it(`${title} are found by their ends, without reading any object that has none`, async () => {
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

  it('have those that a server of the former release wrote before and after the migration', async () => {
    const side = new DatabaseSync(':memory:')
    const database = sqliteDatabase(side, ':memory:')
    await database.migrate('2026-11-30-agreed-time')
    const api = application({ passwordCredentials: [secret(1)] })
    const rows = applicationToRows(api, 1)
    const { word_starts: _, ...formerRow } = rows.application
    /** The row of a server that does not know the tenant of a credential. */
    const formerRows = rows.password_credential.map(({ tenant_id, ...row }) => row as never)
    await database.write(async (db) => {
      await db
        .insertInto('application')
        .values(formerRow as never)
        .execute()
      await db.insertInto('password_credential').values(formerRows).execute()
    })
    await database.migrate()
    const storage = sqlStorage(database)
    const find = async () =>
      (await storage.findEndingCredentials(guid(1), now, inDays(30), 9)).map(({ keyId }) => keyId)
    assert.deepEqual(await find(), [guid(1)])
    side.exec('delete from password_credential')
    assert.deepEqual(await find(), [])
    await database.write((db) => db.insertInto('password_credential').values(formerRows).execute())
    assert.deepEqual(await find(), [guid(1)])
    await storage.close()
  })
})
