import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { credentialName } from '../../../../src/directory/application/credential.ts'
import { DirectoryStore } from '../../../../src/directory-store/directory-store.ts'
import { migrations } from '../../../../src/storage/sql/migrations/migrations.ts'
import { tenantRows } from '../../../../src/storage/sql/rows/entity-rows.ts'
import { servicePrincipalToRow } from '../../../../src/storage/sql/rows/service-principal-row.ts'
import { sqliteDatabase } from '../../../../src/storage/sqlite/sqlite-database.ts'
import { sqlStorage } from '../../../../src/storage/storage.ts'
import { guid, servicePrincipal, tenant } from '../../../directory/sample.ts'

/** The columns of a refused token request that an earlier release recorded. */
const columns = "'2026-01-01T00:00:00.000Z', null, 'client', 'token.issue', null, 'refused'"

describe('the migration of a store', () => {
  it('lists the ends of the credentials that service principals had before', async () => {
    const database = sqliteDatabase(new DatabaseSync(':memory:'), ':memory:')
    await database.migrate('2026-11-28-certificates-of-service-principals')
    const at = new Date('2030-01-01T00:00:00Z')
    const secret = {
      keyId: guid(5),
      displayName: null,
      hint: 'abc',
      startDateTime: at,
      endDateTime: at,
      secretSha256: new Uint8Array(32),
    }
    const principal = servicePrincipal({ passwordCredentials: [secret] })
    const { word_starts: _, ...row } = servicePrincipalToRow(principal, 1)
    await database.write((db) => db.insertInto('service_principal').values(row).execute())
    await database.migrate()
    const end = new Date(at.getTime() + 1)
    const found = await sqlStorage(database).findEndingCredentials(guid(1), at, end, 9)
    assert.deepEqual(
      found.map(({ keyId, kind }) => [keyId, kind]),
      [[guid(5), 'secret']],
    )
    await database.close()
  })

  for (const [index, name] of Object.keys(migrations).entries()) {
    it(`keeps the last use of a credential in a store that ends with ${name}`, async () => {
      const side = new DatabaseSync(':memory:')
      const database = sqliteDatabase(side, ':memory:')
      await database.migrate(name)
      const isNamed =
        index >= Object.keys(migrations).indexOf('2026-12-02-names-of-credential-uses')
      side.exec(`
        insert into application (id, tenant_id, app_id, display_name, created_at, sign_in_audience, identifier_uris,
          optional_access_token_claims, required_resource_access, is_fallback_public_client,
          password_authentication_allowed, revision)
        values ('${guid(1)}', '${guid(2)}', '${guid(3)}', 'Job', '', '', '[]', '[]', '[]', 0, 1, 1);
        insert into password_credential (application_id, position, key_id, hint, starts_at, ends_at, secret_sha256)
        values ('${guid(1)}', 0, '${guid(5)}', '', '', '', '');
        insert into credential_use
        values ('${isNamed ? `${guid(1)}/` : ''}${guid(5)}', '2030-01-01T00:00:00.000Z')`)
      await database.migrate()
      const { credentialUses } = sqlStorage(database)
      const use = credentialName({ id: guid(1) }, guid(5))
      for (let cleanup = 0; cleanup < 2; cleanup += 1) {
        const uses = await credentialUses.lastUses([use])
        assert.deepEqual([...uses.values()], [new Date('2030-01-01T00:00:00Z')])
        await sqlStorage(database).tidy(new Date(0), undefined)
      }
      await database.close()
    })
  }

  it('gives the last use of a certificate ID that two applications have to neither', async () => {
    const side = new DatabaseSync(':memory:')
    const database = sqliteDatabase(side, ':memory:')
    await database.migrate('2026-11-30-agreed-time')
    side.exec('pragma foreign_keys = off')
    for (const application of [guid(1), guid(2)])
      side.exec(`insert into key_credential values
        ('${application}', 0, '${guid(5)}', null, '', '', '', '', '')`)
    side.exec(`insert into credential_use values ('${guid(5)}', '2030-01-01T00:00:00.000Z')`)
    await database.migrate()
    const { credentialUses } = sqlStorage(database)
    const names = [guid(1), guid(2)].map((id) => credentialName({ id }, guid(5)))
    assert.equal((await credentialUses.lastUses(names)).size, 0)
    await database.close()
  })

  it('finds the tenants that a store had before by their domains', async () => {
    const side = new DatabaseSync(':memory:')
    const database = sqliteDatabase(side, ':memory:')
    await database.migrate('2026-12-03-search-of-names')
    const one = tenant({ domains: ['one.example', 'other.example'] })
    await database.write((db) =>
      db
        .insertInto('tenant')
        .values(tenantRows.toRow(one, { revision: 0 }))
        .execute(),
    )
    await database.migrate()
    const store = new DirectoryStore({ log: sqlStorage(database).directory })
    assert.deepEqual(await store.read((all) => all.tenant('Other.example')), one)
    assert.equal(await store.read((all) => all.tenant('third.example')), undefined)
    await database.close()
  })

  it('finds the words of names that a store had before, or that a former release writes', async () => {
    const side = new DatabaseSync(':memory:')
    const database = sqliteDatabase(side, ':memory:')
    await database.migrate('2026-12-04-domains-of-tenants')
    const columns =
      'app_id, display_name, created_at, account_enabled, app_role_assignment_required'
    const add = (id: string) =>
      side.exec(`insert into service_principal (id, tenant_id, ${columns}, revision, name_key)
        values ('${id}', '${guid(1)}', '${guid(9)}', 'Own Job', '2030-01-01T00:00:00.000Z', 1, 0, 0, 'own job')`)
    add(guid(1))
    await database.migrate()
    add(guid(2))
    const { directory } = sqlStorage(database)
    const found = async () =>
      await directory.list({
        kind: 'servicePrincipal',
        tenantId: guid(1),
        isIndexed: true,
        after: undefined,
        conditions: [{ index: 'displayName', operator: 'startsWord', text: 'jo' }],
        matches: undefined,
        limit: 9,
        isCounted: true,
      })
    assert.equal((await found()).count, 2)
    await directory.prune()
    assert.equal((await found()).count, 2)
    const indexed = side.prepare("select rowid from word_search where word_search match 'jo'").all()
    assert.equal(indexed.length, 2)
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
