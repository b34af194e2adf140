import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { migrations } from '../../../src/storage/sql/migrations.ts'
import { servicePrincipalToRow } from '../../../src/storage/sql/service-principal-row.ts'
import { sqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.ts'
import { sqlStorage } from '../../../src/storage/storage.ts'
import { guid, servicePrincipal } from '../../directory/sample.ts'

/** The columns of a refused token request that an earlier release recorded. */
const columns = "'2026-01-01T00:00:00.000Z', null, 'client', 'token.issue', null, 'refused'"

describe('the migration of a store', () => {
  it('lists the ends of the credentials that service principals had before', async () => {
    const database = sqliteDatabase(new DatabaseSync(':memory:'), ':memory:')
    await database.migrate('2026-11-28-certificates-of-service-principals')
    const at = new Date('2030-01-01T00:00:00Z')
    const secret = {
      ...{ keyId: guid(5), displayName: null, hint: 'abc', startDateTime: at, endDateTime: at },
      secretSha256: new Uint8Array(32),
    }
    const principal = servicePrincipal({ passwordCredentials: [secret] })
    await database.write((db) =>
      db.insertInto('service_principal').values(servicePrincipalToRow(principal, 1)).execute(),
    )
    await database.migrate()
    const end = new Date(at.getTime() + 1)
    const found = await sqlStorage(database).findEndingCredentials(guid(1), at, end, 9)
    assert.deepEqual(
      found.map(({ keyId, kind }) => [keyId, kind]),
      [[guid(5), 'secret']],
    )
    await database.close()
  })

  it('keeps the records of unauthenticated requests, and their limit', async () => {
    const side = new DatabaseSync(':memory:')
    const database = sqliteDatabase(side, ':memory:')
    await database.migrate()
    for (const id of ['a', 'b', 'c'])
      side.exec(`insert into sign_in_audit values ('${id}', ${columns}, null, null, 'strangers')`)
    await database.write(async (db) => migrations['2026-11-22-unauthenticated-lane']?.up(db))
    const { audit } = sqlStorage(database)
    const records = { signIns: 3, unauthenticated: 2, refusedChanges: 3 }
    await audit.forgetBeyond({ directoryDays: 1, signInDays: 1, records }, new Date(0))
    const kept = (await audit.find({ book: 'signIns', limit: 9 })).records
    assert.deepEqual(
      kept.map(({ id }) => id),
      ['c', 'b'],
    )
  })
})
