import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryDatabase } from '../../../../../../test/fixtures/directory/memory-database.ts'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import type { IndexedComparison, ListQuery } from '../../../../src/live/directory-list.ts'
import { listPage } from '../../../../src/storage/sql/lists/list-page.ts'
import { OneAtATime } from '../../../../src/storage/sql/lists/one-at-a-time.ts'
import { ListeningDatabase } from '../listening-database.ts'

const named: IndexedComparison = { index: 'name', operator: 'startswith', text: 'api://' }

/** The steps of SQLite for the first page of a tenant that has as many service principals as commits counted. */
async function stepsOf(principals: number, conditions: readonly IndexedComparison[]) {
  const side = new ListeningDatabase(':memory:')
  const { database } = await memoryDatabase(side)
  side.exec(`
    insert into directory_count values ('${guid(1)}', 'service_principal', ${principals})
      on conflict do update set number = excluded.number;
    insert into service_principal (id, tenant_id, app_id, display_name, created_at, account_enabled,
      app_role_assignment_required, revision, mark, name_key, word_starts)
    values ('${guid(3)}', '${guid(1)}', '${guid(4)}', 'Orders', '', 1, 0, 1, '', 'orders', ' o or ')`)
  side.statements.length = 0
  const query: ListQuery<'servicePrincipal'> = {
    kind: 'servicePrincipal',
    tenantId: guid(1),
    conditions,
    isIndexed: true,
    matches: undefined,
    after: undefined,
    limit: 100,
    isCounted: false,
  }
  await listPage(database, query, { scans: new OneAtATime() })
  await database.close()
  const plan = new ListeningDatabase(':memory:')
  const empty = await memoryDatabase(plan)
  const searches = side.statements.filter((one) => one.includes('as found'))
  const steps = searches.map((one) =>
    plan.planOf(one).filter((step) => /^(?:SEARCH|SCAN)/.test(step)),
  )
  await empty.database.close()
  return steps
}

describe('the candidates for a name prefix', () => {
  it('come from the principals of a small tenant, not from the URIs of all tenants', async () => {
    const [steps = [], ...others] = await stepsOf(2000, [named])
    assert.equal(others.length, 0)
    const [first = '', ...rest] = steps
    assert.match(first, /^SEARCH service_principal USING .*\(tenant_id=\?\)/)
    for (const step of rest) assert.match(step, /\((?:app_id|application_id)=\?/)
  })

  it("include a large tenant's own URIs before the URIs of other tenants", async () => {
    const [steps = []] = await stepsOf(2001, [named])
    const uris = steps.filter((step) => step.includes(' identifier_uri '))
    assert.match(uris[0] ?? '', /identifier_uri_of_tenant \(tenant_id=\? AND uri_key>\?/)
    assert.match(uris[1] ?? '', /identifier_uri_key \(uri_key>\?/)
  })

  it('are read by ID if another condition found only a few', async () => {
    const displayed: IndexedComparison = {
      index: 'displayName',
      operator: 'startswith',
      text: 'ord',
    }
    const [, steps = []] = await stepsOf(2001, [displayed, named])
    assert.match(steps[0] ?? '', /^SEARCH service_principal USING .*\(id=\?\)/)
    for (const step of steps) assert.doesNotMatch(step, /identifier_uri_(?:key|of_tenant)/)
  })
})
