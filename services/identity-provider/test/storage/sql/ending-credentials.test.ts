import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { put } from '../../../src/directory/directory-change.ts'
import { beginning } from '../../../src/storage/commit.ts'
import { sqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.ts'
import { sqlStorage } from '../../../src/storage/storage.ts'
import { application, guid } from '../../directory/sample.ts'

const now = new Date('2030-01-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
const secret = (n: number, endDateTime: Date) => ({
  ...{ keyId: guid(n), displayName: null, hint: 'abc', startDateTime: inDays(-900) },
  ...{ endDateTime, secretSha256: new Uint8Array(32) },
})

it('credentials that end within a time are counted by a cleanup, and found', async () => {
  const database = sqliteDatabase(new DatabaseSync(':memory:'), ':memory:')
  await database.migrate()
  const storage = sqlStorage(database)
  assert.deepEqual(storage.usage().endingCredentials, { secret: undefined, certificate: undefined })
  const ends = [-1, 1, 30, 31].map((days, n) => secret(n, inDays(days)))
  const present = application({ passwordCredentials: ends })
  const deleted = application({
    ...{ id: guid(90), appId: guid(91), identifierUris: [] },
    ...{ passwordCredentials: [secret(9, inDays(2))], deletedDateTime: now },
  })
  const changes = [present, deleted].map((value) => put('application', value))
  await storage.directory.commit(beginning, 'first', changes, [])
  await storage.tidy(now)
  assert.deepEqual(storage.usage().endingCredentials, { secret: 2, certificate: 0 })
  const find = (tenantId: string, limit: number) =>
    storage.findEndingCredentials(tenantId, inDays(-5), inDays(30), limit)
  const found = await find(present.tenantId, 10)
  assert.deepEqual(
    found.map(({ keyId }) => keyId),
    [guid(0), guid(1)],
  )
  assert.deepEqual(found[0], {
    kind: 'secret',
    keyId: guid(0),
    displayName: null,
    endDateTime: inDays(-1),
    appId: present.appId,
    applicationName: present.displayName,
  })
  assert.equal((await find(present.tenantId, 1)).length, 1)
  assert.deepEqual(await find(guid(99), 10), [])
})
