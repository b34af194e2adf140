import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import {
  application,
  guid,
  servicePrincipal,
} from '../../../../../test/fixtures/directory/sample.ts'
import { SkipTokens } from '../../../src/management/operations/skip-tokens.ts'
import {
  allGraphRoles,
  type Body,
  contoso,
  fabrikam,
  type GraphClient,
  sampleGraph,
} from '../sample-graph.ts'

type Changes = Body & { readonly '@odata.deltaLink': string }

async function withAdmin(part = {}) {
  const sample = await sampleGraph(part)
  return { ...sample, admin: await sample.clientWith(allGraphRoles) }
}

async function changesAt(client: Pick<GraphClient, 'get'>, path: string): Promise<Changes> {
  const { status, body } = await client.get(path)
  assert.equal(status, 200, JSON.stringify(body))
  return body as Changes
}

/** A new application, and its service principal, by the API. */
async function registered(admin: GraphClient) {
  const made = await admin.post('/applications', { displayName: 'Job' })
  const principal = await admin.post('/servicePrincipals', { appId: made.body.appId })
  return { id: made.body.id, appId: made.body.appId, principalId: principal.body.id }
}

const idsOf = ({ value }: Body) => value.map(({ id }) => id)

describe('the list of changes', () => {
  it('lists all objects first, then every created, changed, deleted, restored and purged object', async () => {
    const { admin } = await withAdmin()
    const { id, appId, principalId } = await registered(admin)
    const { body: all } = await admin.get('/applications')
    const { body: principals } = await admin.get('/servicePrincipals')
    const first = await changesAt(admin, '/applications/delta')
    assert.equal(first['@odata.context'], 'https://login.example/v1.0/$metadata#applications')
    assert.deepEqual(
      first.value.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      all.value,
    )
    const firstPrincipals = await changesAt(admin, '/servicePrincipals/delta')
    assert.deepEqual(idsOf(firstPrincipals).toSorted(), idsOf(principals))
    const link = first['@odata.deltaLink']
    assert.match(
      link,
      /^https:\/\/login\.example\/v1\.0\/applications\/delta\?\$deltatoken=[\w-]+$/,
    )

    const nothing = await changesAt(admin, link)
    assert.deepEqual(nothing.value, [])
    const steps = [
      [() => admin.patch(`/applications/${id}`, { displayName: 'Other' }), undefined],
      [() => admin.delete(`/applications/${id}`), 'changed'],
      [() => admin.post(`/directory/deletedItems/${id}/restore`), undefined],
      [() => admin.delete(`/applications/${id}`), 'changed'],
      [() => admin.delete(`/directory/deletedItems/${id}`), 'deleted'],
    ] as const
    let applications = nothing['@odata.deltaLink']
    let ofPrincipals = firstPrincipals['@odata.deltaLink']
    for (const [change, reason] of steps) {
      await change()
      const changed = await changesAt(admin, applications)
      const expected = { id, '@removed': { reason } }
      if (reason !== undefined) assert.deepEqual(changed.value, [expected])
      else assert.deepEqual([idsOf(changed), changed.value[0]?.appId], [[id], appId])
      applications = changed['@odata.deltaLink']
      // A restored application does not restore its service principal, which still shows its properties.
      const principal = await changesAt(admin, ofPrincipals)
      for (const one of principal.value) assert.equal(one.id, principalId)
      ofPrincipals = principal['@odata.deltaLink']
    }
    const sinceFirst = await changesAt(admin, link)
    assert.deepEqual(sinceFirst.value, [{ id, '@removed': { reason: 'deleted' } }])
    const ofFirst = await changesAt(admin, firstPrincipals['@odata.deltaLink'])
    assert.deepEqual(ofFirst.value, [{ id: principalId, '@removed': { reason: 'deleted' } }])
  })

  it('lists a service principal when a property from its application changes', async () => {
    const { admin } = await withAdmin()
    const { id, appId, principalId } = await registered(admin)
    const first = await changesAt(admin, '/servicePrincipals/delta?$deltatoken=latest')
    await admin.patch(`/applications/${id}`, { identifierUris: [`api://${appId}`] })
    const { value } = await changesAt(admin, first['@odata.deltaLink'])
    assert.deepEqual(
      value.map((one) => [one.id, one.servicePrincipalNames]),
      [[principalId, [appId, `api://${appId}`]]],
    )
  })

  it('has pages of 100 objects, and the last page links to the next round', async () => {
    const { admin, commit } = await withAdmin()
    const many = Array.from({ length: 250 }, (_, number) =>
      put('application', application({ id: guid(number), appId: guid(0x1000 + number) })),
    )
    await commit(...many)
    const sizes: number[] = []
    const found: string[] = []
    let path = '/applications/delta'
    for (let rounds = 0; rounds < 4 && !path.includes('$deltatoken'); rounds += 1) {
      const body = await changesAt(admin, path)
      sizes.push(body.value.length)
      found.push(...idsOf(body))
      if (rounds === 0) await commit(put('application', application({ id: guid(240) })))
      path = body['@odata.nextLink'] ?? body['@odata.deltaLink']
    }
    assert.deepEqual(sizes, [100, 100, found.length - 200])
    assert.equal(new Set(found).size, found.length)
    assert.ok(!found.includes(guid(240)), 'it changed after the beginning of the round')
    assert.deepEqual(idsOf(await changesAt(admin, path)), [guid(240)])
  })

  for (const latest of ['$deltatoken=latest', '$deltaToken=latest', 'deltatoken=LATEST']) {
    it(`begins at the current moment with ${latest}, without objects`, async () => {
      const { admin } = await withAdmin()
      await registered(admin)
      const first = await changesAt(admin, `/applications/delta?${latest}&$select=displayName`)
      assert.deepEqual(first.value, [])
      const { id } = await registered(admin)
      const { value } = await changesAt(admin, first['@odata.deltaLink'])
      assert.deepEqual(value, [{ id, displayName: 'Job' }])
    })
  }

  it('keeps $select and $filter of the first request in its tokens', async () => {
    const { admin } = await withAdmin()
    const [one, other] = [await registered(admin), await registered(admin)]
    const filter = `id eq '${one.id}' or id eq '${guid(9)}'`
    const query = `$select=displayName,appId&$filter=${encodeURIComponent(filter)}`
    const first = await changesAt(admin, `/applications/delta?${query}`)
    assert.match(String(first['@odata.context']), /#applications\(displayName,appId\)$/)
    assert.deepEqual(first.value, [{ id: one.id, appId: one.appId, displayName: 'Job' }])
    for (const { id } of [one, other]) await admin.patch(`/applications/${id}`, { notes: 'x' })
    const next = await changesAt(admin, first['@odata.deltaLink'])
    assert.deepEqual(next.value, first.value)
  })

  it('accepts the IDs of 50 objects', async () => {
    const { admin } = await withAdmin()
    const { id } = await registered(admin)
    const path = (count: number) => {
      const ids = Array.from({ length: count }, (_, number) => `'${number ? guid(number) : id}'`)
      return `/applications/delta?$filter=id in (${ids.join(',')})`
    }
    const first = await changesAt(admin, path(50))
    assert.deepEqual(idsOf(first), [id])
    assert.deepEqual((await changesAt(admin, first['@odata.deltaLink'])).value, [])
    const { status, body } = await admin.get(path(51))
    assert.deepEqual([status, body.error.code], [400, 'Request_UnsupportedQuery'])
  })

  it('ignores Prefer: return=minimal, and does not claim to apply it', async () => {
    const { admin } = await withAdmin()
    const { id } = await registered(admin)
    const path = '/applications/delta'
    const { body, headers } = await admin.get(path, undefined, { prefer: 'return=minimal' })
    assert.equal(body.value.find((one) => one.id === id)?.displayName, 'Job')
    assert.equal(headers.get('preference-applied'), null)
  })

  for (const path of [
    '/applications/delta()',
    '/Applications/Delta()',
    '/applications/microsoft.graph.delta()',
  ]) {
    it(`accepts ${path}, which SDKs write`, async () => {
      const { admin } = await withAdmin()
      const { id } = await registered(admin)
      assert.ok(idsOf(await changesAt(admin, path)).includes(id))
    })
  }

  it('shows a new object during the visibility delay, so that no round misses it', async () => {
    const { admin } = await withAdmin({ visibilityDelaySeconds: 60 })
    const first = await changesAt(admin, '/applications/delta?$deltatoken=latest')
    const { body } = await admin.post('/applications', { displayName: 'New' })
    assert.equal((await admin.get(`/applications/${body.id}`)).status, 404)
    assert.deepEqual(idsOf(await changesAt(admin, first['@odata.deltaLink'])), [body.id])
  })
})

describe('the changes of delegated grants', () => {
  it('list all grants first, then nothing, and start again after a service principal changes', async () => {
    const { admin } = await withAdmin()
    const { principalId: clientId } = await registered(admin)
    const { principalId: resourceId } = await registered(admin)
    const { body: grant } = await admin.post('/oauth2PermissionGrants', {
      clientId,
      resourceId,
      consentType: 'AllPrincipals',
      scope: 'Orders.Read',
    })
    const path = '/oauth2PermissionGrants/delta'
    const first = await changesAt(admin, `${path}?$select=scope`)
    assert.deepEqual(first.value, [{ id: grant.id, scope: 'Orders.Read' }])
    const next = await changesAt(admin, first['@odata.deltaLink'])
    assert.deepEqual(next.value, [])
    await admin.delete(`/oauth2PermissionGrants/${grant.id}`)
    const { status, body, headers } = await admin.get(next['@odata.deltaLink'])
    assert.deepEqual([status, body.error.code], [410, 'syncStateNotFound'])
    const location = headers.get('location') ?? ''
    assert.match(location, /oauth2PermissionGrants\/delta\?\$select=scope&\$deltatoken=$/)
    assert.deepEqual((await changesAt(admin, location)).value, [])
    assert.deepEqual((await changesAt(admin, `${path}?$deltatoken=latest`)).value, [])
  })

  it('have pages of 100 clients, and list each grant once', async () => {
    const { admin, commit } = await withAdmin()
    const consent = {
      consentType: 'AllPrincipals',
      principalId: null,
      resourceId: guid(1),
    } as const
    const many = Array.from({ length: 150 }, (_, number) =>
      put(
        'servicePrincipal',
        servicePrincipal({
          id: guid(number),
          appId: guid(0x1000 + number),
          delegatedConsents: [{ ...consent, id: `grant-${number}`, scope: 'Orders.Read' }],
        }),
      ),
    )
    await commit(...many)
    const found: string[] = []
    let path = '/oauth2PermissionGrants/delta'
    for (let rounds = 0; rounds < 4 && !path.includes('$deltatoken'); rounds += 1) {
      const body = await changesAt(admin, path)
      found.push(...idsOf(body))
      path = body['@odata.nextLink'] ?? body['@odata.deltaLink']
    }
    assert.equal(new Set(found).size, 150)
    assert.equal(found.length, 150)
  })
})

describe('a delta token', () => {
  const key = Buffer.alloc(32, 7)
  const linkOf = async (client: GraphClient, set = 'applications') =>
    (await changesAt(client, `/${set}/delta?$deltatoken=latest`))['@odata.deltaLink']

  it('is accepted by every server with the same key, even after a restart', async () => {
    const { admin, commit, store } = await withAdmin({ skipTokenKey: key })
    const link = await linkOf(admin)
    await commit(put('application', application({ id: guid(7) })))
    const restarted = await sampleGraph({ skipTokenKey: key, store })
    const client = restarted.actAs(contoso.id, admin.appId)
    assert.deepEqual(idsOf(await changesAt(client, link)), [guid(7)])
  })

  it('contains no secret and no object data', async () => {
    const { admin } = await withAdmin()
    const token = new URL(await linkOf(admin)).searchParams.get('$deltatoken') ?? ''
    const text = Buffer.from(token, 'base64url').subarray(16).toString()
    const { since, ...rest } = JSON.parse(text)
    assert.deepEqual(rest, {})
    assert.deepEqual(Object.keys(since).toSorted(), ['mark', 'revision'])
  })

  it('is refused in another tenant, for another set and as another kind of token (AS38)', async () => {
    const { admin, clientWith, commit } = await withAdmin()
    const other = await clientWith(allGraphRoles, fabrikam)
    await commit(put('servicePrincipal', servicePrincipal()))
    const link = await linkOf(admin)
    const refused: readonly (readonly [Pick<GraphClient, 'get'>, string])[] = [
      [other, link],
      [admin, link.replace('/applications/', '/servicePrincipals/')],
      [admin, link.replace('$deltatoken', '$skiptoken')],
      [admin, `${link}A`],
      [admin, link.replace(/(.)$/, (last) => (last === 'A' ? 'B' : 'A'))],
      [admin, '/applications/delta?$deltatoken=x'],
      [admin, '/applications/delta?$skiptoken='],
      [admin, `/applications/delta?$deltatoken=${'A'.repeat(8193)}`],
      [admin, link.replace('/applications/delta', '/applications').replace('delta', 'skip')],
    ]
    for (const [client, path] of refused) {
      const { status, body } = await client.get(path)
      assert.deepEqual([status, body.error.code], [400, 'Directory_InvalidPageToken'], path)
    }
    assert.equal((await admin.get(link)).status, 200)
  })

  it('is refused with a link to a new first request when its changes are lost', async () => {
    const { admin } = await withAdmin({ skipTokenKey: key })
    const filter = `id eq '${guid(5)}'`
    const first = `/applications/delta?$select=id&$filter=${filter}&$deltatoken=latest`
    const link = (await changesAt(admin, first))['@odata.deltaLink']
    // Another store, with the same key: a store that was rolled back.
    const restored = await withAdmin({ skipTokenKey: key })
    const { status, body, headers } = await restored.admin.get(link)
    assert.deepEqual([status, body.error.code], [410, 'syncStateNotFound'])
    const location = headers.get('location') ?? ''
    assert.equal(
      decodeURIComponent(location.replaceAll('+', ' ')),
      `https://login.example/v1.0/applications/delta?$select=id&$filter=${filter}&$deltatoken=`,
    )
    assert.deepEqual((await changesAt(restored.admin, location)).value, [])
  })

  it('is refused if a plain list of the same set created it', async () => {
    const { admin } = await withAdmin({ skipTokenKey: key })
    const after = JSON.stringify({ since: { revision: 0, mark: null } })
    const token = new SkipTokens(key).seal(
      JSON.stringify([contoso.id, '/applications/delta']),
      after,
    )
    const { body } = await admin.get(`/applications/delta?$deltatoken=${token}`)
    assert.equal(body.error.code, 'Directory_InvalidPageToken')
  })

  for (const [query, code] of [
    ['$top=5', 'Request_UnsupportedQuery'],
    ['$expand=owners', 'Request_UnsupportedQuery'],
    ["$filter=displayName eq 'x'", 'Request_UnsupportedQuery'],
    ["$filter=not id eq 'x'", 'Request_UnsupportedQuery'],
    ["$filter=id eq 'x'", 'Request_UnsupportedQuery'],
    ['$filter=id', 'BadRequest'],
    ['$select=nothing', 'BadRequest'],
    ['$deltatoken=latest&$deltaToken=latest', 'BadRequest'],
    ['$deltatoken=x&$select=id', 'BadRequest'],
    ['$skiptoken=x&$deltatoken=latest', 'BadRequest'],
  ] as const) {
    it(`refuses the query ${query}`, async () => {
      const { admin } = await withAdmin()
      const { status, body } = await admin.get(`/applications/delta?${query}`)
      assert.deepEqual([status, body.error.code], [400, code], body.error.message)
    })
  }
})
