import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { guid } from '../../../../../test/fixtures/directory/sample.ts'
import { PostgresServer } from '../../../../../test/fixtures/postgres-server.ts'
import { openStorage, type Storage } from '../../../src/storage/storage.ts'

const now = new Date('2030-01-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
const applications = 5000

/** Applications with a secret each. Every thousandth secret ends in five days, the others much later. */
const statements = [
  `insert into tenant values ('${guid(1)}', 'Large', '[]', 1, '${now.toISOString()}', 1, 'mark')`,
  `insert into application (id, tenant_id, app_id, display_name, created_at, sign_in_audience,
     identifier_uris, optional_access_token_claims, required_resource_access,
     is_fallback_public_client, password_authentication_allowed, revision, mark, name_key, word_starts)
   select 'a' || n, '${guid(1)}', 'b' || n, 'Client ' || n, '${now.toISOString()}', 'x', '[]', '[]', '[]',
     0, 1, 1, 'mark', 'client ' || n,
     case n when 4321 then ' n ne ' else ' c cl ' end || left(n::text, 1) || ' ' || left(n::text, 2) || ' '
   from generate_series(1, ${applications}) as n`,
  `insert into password_credential (application_id, tenant_id, position, key_id, hint, starts_at, ends_at, secret_sha256)
   select 'a' || n, '${guid(1)}', 0, 'k' || n, '', '', case n % 1000 when 0 then '${inDays(5).toISOString()}'
     else '${inDays(700).toISOString()}' end, ''
   from generate_series(1, ${applications}) as n`,
  `insert into identifier_uri select 'a' || n, '${guid(1)}', 'api://' || n from generate_series(1, ${applications}) as n`,
  `insert into tenant values ('${guid(2)}', 'Small', '[]', 1, '${now.toISOString()}', 1, 'mark')`,
  `insert into service_principal (id, tenant_id, app_id, display_name, created_at, account_enabled,
     app_role_assignment_required, revision, mark, name_key, word_starts)
   select 'c' || n, case n when 1 then '${guid(2)}' else '${guid(1)}' end, 'b' || n, 'Client', '${now.toISOString()}',
     1, 0, 1, 'mark', 'client', ' c cl '
   from generate_series(1, ${applications}) as n`,
]

describe(`a tenant with ${applications} applications in PostgreSQL`, () => {
  let server: PostgresServer
  let databaseUrl: string
  let name: string
  const query = (text: string) => server.query(text, name)

  before(async () => {
    server = await PostgresServer.start()
    databaseUrl = await server.database()
    name = new URL(databaseUrl).pathname.slice(1)
    await (await openStorage({ dataDir: '', databaseUrl })).close()
    for (const statement of statements) await query(statement)
    await query('vacuum (analyze)')
  })

  after(() => server.stop())

  /** The rows of all tables that a function reads. PostgreSQL counts those of a closed connection. */
  async function rowsRead(ask: (storage: Storage) => Promise<unknown>): Promise<number> {
    const read = async () => {
      await server.untilTrue(
        `select count(*) = 0 as yes from pg_stat_activity where datname = '${name}'`,
      )
      const [row] = await query(
        'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as number from pg_stat_user_tables',
      )
      return Number((row as { number: string }).number)
    }
    const before = await read()
    const storage = await openStorage({ dataDir: '', databaseUrl })
    await ask(storage)
    await storage.close()
    return (await read()) - before
  }

  const asked: readonly (readonly [string, (storage: Storage) => Promise<unknown>])[] = [
    [
      'the expiring credentials of a tenant',
      async (storage) => {
        const found = await storage.findEndingCredentials(guid(1), now, inDays(30), 1000)
        assert.equal(found.length, applications / 1000)
      },
    ],
    [
      'the number of expiring credentials',
      async (storage) => {
        await storage.tidy(now, undefined)
        assert.equal(storage.usage().endingCredentials.secret, applications / 1000)
      },
    ],
    [
      'a search for a part of a name',
      async ({ directory }) => {
        const { objects } = await directory.list({
          kind: 'application',
          tenantId: guid(1),
          isIndexed: true,
          after: undefined,
          conditions: [{ index: 'displayName', operator: 'contains', text: 'ENT 4321' }],
          matches: (one) => 'displayName' in one && one.displayName === 'Client 4321',
          limit: 50,
          isCounted: false,
        })
        assert.equal(objects.length, 1)
      },
    ],
    [
      'the APIs of a small tenant beside it',
      async ({ directory }) => {
        const { objects } = await directory.list({
          kind: 'servicePrincipal',
          tenantId: guid(2),
          isIndexed: true,
          after: undefined,
          conditions: [{ index: 'name', operator: 'startswith', text: 'api://' }],
          matches: undefined,
          limit: 50,
          isCounted: false,
        })
        assert.equal(objects.length, 1)
      },
    ],
    [
      'a search for the first two letters of a word',
      async ({ directory }) => {
        const { objects } = await directory.list({
          kind: 'application',
          tenantId: guid(1),
          isIndexed: true,
          after: undefined,
          conditions: [{ index: 'displayName', operator: 'startsWord', text: 'NE' }],
          matches: undefined,
          limit: 50,
          isCounted: true,
        })
        assert.equal(objects.length, 1)
      },
    ],
  ]
  for (const [title, ask] of asked)
    it(`needs few rows for ${title}`, async () => {
      const rows = await rowsRead(ask)
      assert.ok(rows < applications / 10, `${rows} rows`)
    })
})
