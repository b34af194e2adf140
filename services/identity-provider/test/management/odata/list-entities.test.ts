import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '../../../src/directory/directory-change.ts'
import { SkipTokens } from '../../../src/management/odata/skip-tokens.ts'
import { application, guid } from '../../directory/sample.ts'
import { allGraphRoles, type Body, fabrikam, sampleGraph } from '../sample-graph.ts'

const names = ["O'Brien's", 'Alpha', 'alpha', 'Beta', 'Gamma']

async function withNames() {
  const sample = await sampleGraph()
  const admin = await sample.clientWith(allGraphRoles)
  await sample.commit(
    ...names.map((displayName, index) =>
      put(
        'application',
        application({
          id: guid(0x100 + index),
          appId: guid(0x200 + index),
          displayName,
          identifierUris: [`api://${guid(0x200 + index)}`, `https://contoso.example/${index}`],
        }),
      ),
    ),
  )
  return { ...sample, admin }
}

const displayNames = ({ value }: Body) =>
  value.map(({ displayName }) => displayName).filter((name) => names.includes(String(name)))

// Every object is compared with each comparison, so their number is limited (AS38).
describe('$filter', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [`appId eq '${guid(0x203)}'`, ['Beta']],
    [`appId eq '${guid(0x203).toUpperCase()}'`, ['Beta']],
    [`appId eq ${guid(0x203)}`, ['Beta']],
    ["displayName eq 'Beta'", ['Beta']],
    ["displayName eq 'ALPHA'", ['Alpha', 'alpha']],
    ["displayName eq 'O''Brien''s'", ["O'Brien's"]],
    ["displayName eq ''", []],
    ["identifierUris/any(x:x eq 'https://contoso.example/4')", ['Gamma']],
    [`identifierUris/any( uri : uri eq 'api://${guid(0x204)}' )`, ['Gamma']],
    [`displayName eq 'alpha' and appId eq '${guid(0x201)}'`, ['Alpha']],
    ["displayName eq 'Alpha' and displayName eq 'Beta'", []],
    ["startswith(displayName,'AL')", ['Alpha', 'alpha']],
    ["startswith( displayName , 'O''' )", ["O'Brien's"]],
    [`startswith(appId,'${guid(0x203)}')`, ['Beta']],
    ["identifierUris/any(u:startswith(u,'HTTPS://contoso.example/4'))", ['Gamma']],
    ["startswith(displayName,'al') and displayName eq 'beta'", []],
    ['startswith(displayName,null)', []],
    ["displayName eq ''' or displayName eq ''Beta'", []],
  ]
  for (const [filter, expected] of rows) {
    it(`finds ${JSON.stringify(expected)} by ${filter}`, async () => {
      const { admin } = await withNames()
      const { status, body } = await admin.get(
        `/applications?$filter=${encodeURIComponent(filter)}`,
      )
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(displayNames(body), expected)
    })
  }

  it('finds the service principals that are enabled', async () => {
    const { admin } = await withNames()
    const { body } = await admin.get('/servicePrincipals?$filter=accountEnabled eq false')
    assert.deepEqual(body.value, [])
  })
})

describe('a query that is refused (AS38)', () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    [
      '/applications?$filter=displayName',
      'Request_UnsupportedQuery',
      /only eq and startswith are supported/,
    ],
    [
      `/applications?$filter=${Array(21).fill("appId eq 'x'").join(' and ')}`,
      'Request_UnsupportedQuery',
      /more than 20 comparisons/,
    ],
    ["/applications?$filter=displayName ne 'x'", 'Request_UnsupportedQuery', /only eq/],
    [
      "/applications?$filter=displayName eq 'x' or appId eq 'x'",
      'Request_UnsupportedQuery',
      /only/,
    ],
    [
      "/applications?$filter=startswith(signInAudience,'x')",
      'Request_UnsupportedQuery',
      /Unsupported filter 'startswith' for 'signInAudience'/,
    ],
    [
      "/applications?$filter=startswith(identifierUris,'x')",
      'Request_UnsupportedQuery',
      /identifierUris\/any/,
    ],
    [
      "/applications?$filter=identifierUris/any(x:startswith(y,'x'))",
      'Request_UnsupportedQuery',
      /only eq/,
    ],
    ["/applications?$filter=displayName eq 'x", 'Request_UnsupportedQuery', /only eq/],
    [
      "/applications?$filter=nothing eq 'x'",
      'BadRequest',
      /Could not find a property named 'nothing' on type 'microsoft.graph.application'/,
    ],
    ["/applications?$filter=__proto__ eq 'x'", 'BadRequest', /Could not find a property/],
    [
      "/applications?$filter=web eq 'x'",
      'Request_UnsupportedQuery',
      /Unsupported property filter clause for 'web'/,
    ],
    [
      "/applications?$filter=identifierUris eq 'x'",
      'Request_UnsupportedQuery',
      /identifierUris\/any/,
    ],
    [
      "/applications?$filter=displayName/any(x:x eq 'x')",
      'Request_UnsupportedQuery',
      /is not a collection/,
    ],
    [
      '/applications?$select=id,nothing',
      'BadRequest',
      /Parsing OData Select and Expand failed: Could not find a property named 'nothing'/,
    ],
    ['/applications?$select=constructor', 'BadRequest', /Could not find/],
    ['/applications?$top=0', 'BadRequest', /Invalid page size specified: '0'/],
    ['/applications?$top=1000', 'BadRequest', /between 1 and 999/],
    ['/applications?$top=ten', 'BadRequest', /page size/],
    ['/applications?$count=yes', 'BadRequest', /\$count/],
    ['/applications?$top=1&$top=2', 'BadRequest', /more than once/],
    ['/applications?$expand=owners', 'Request_UnsupportedQuery', /'\$expand' is not supported/],
    ['/applications?$orderby=displayName', 'Request_UnsupportedQuery', /'\$orderby'/],
    ['/applications?$search="x"', 'Request_UnsupportedQuery', /'\$search'/],
    ['/applications?$skip=1', 'Request_UnsupportedQuery', /'\$skip'/],
    ['/applications?filter=x', 'Request_UnsupportedQuery', /'filter'/],
    [`/applications/${guid(0x100)}?$filter=id eq 'x'`, 'Request_UnsupportedQuery', /'\$filter'/],
    ['/applications?$skiptoken=x', 'Directory_InvalidPageToken', /belongs to another query/],
    ['/applications/not-a-guid', 'Request_BadRequest', /Invalid object identifier 'not-a-guid'/],
    ["/applications(appId='x')", 'Request_BadRequest', /Invalid object identifier 'x'/],
  ]
  for (const [path, code, message] of rows) {
    it(`is ${path}`, async () => {
      const { admin } = await withNames()
      const { status, body } = await admin.get(path)
      assert.equal(status, 400)
      assert.equal(body.error.code, code)
      assert.match(body.error.message, message)
    })
  }
})

describe('$select', () => {
  it('limits the properties, and is repeated in the context', async () => {
    const { admin } = await withNames()
    const { body } = await admin.get(`/applications/${guid(0x100)}?$select=appId,displayName`)
    assert.deepEqual(Object.keys(body), ['@odata.context', '@odata.etag', 'appId', 'displayName'])
    assert.equal(
      body['@odata.context'],
      'https://login.example/v1.0/$metadata#applications(appId,displayName)/$entity',
    )
  })
})

describe('a list', () => {
  it('has pages that together contain every object once', async () => {
    const { admin } = await withNames()
    const found: string[] = []
    let pages = 0
    let next: string | undefined = '/applications?$top=2&$select=id&$count=true'
    while (next !== undefined) {
      const { status, body }: Awaited<ReturnType<typeof admin.get>> = await admin.get(next)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(
        body['@odata.count'],
        names.length + 2,
        'the administrator and the caller are counted too',
      )
      found.push(...body.value.map(({ id }) => id))
      next = body['@odata.nextLink']
      pages += 1
    }
    assert.equal(pages, 4)
    assert.equal(new Set(found).size, names.length + 2)
    assert.deepEqual(found, found.toSorted())
  })

  it('continues after objects were created and deleted', async () => {
    const { admin, commit } = await withNames()
    const first = await admin.get('/applications?$top=4&$select=id')
    const seen = first.body.value.map(({ id }) => id)
    for (const id of seen.filter((id) => id.startsWith('11111111')))
      await commit({ kind: 'application', id, value: null })
    await commit(put('application', application({ id: guid(0), appId: guid(0xff0) })))
    const second = await admin.get(first.body['@odata.nextLink'])
    const rest = second.body.value.map(({ id }) => id)
    assert.equal(rest.length, names.length + 2 - 4)
    assert.ok(rest.every((id) => id > (seen.at(-1) ?? '')))
  })

  /** CVE-2026-33504 of Hydra: clients could create page tokens. */
  it('refuses the page token of another list', async () => {
    const { admin, clientWith } = await withNames()
    const { body } = await admin.get('/applications?$top=1')
    const link = new URL(body['@odata.nextLink'])
    const token = link.searchParams.get('$skiptoken') ?? ''
    const foreign = new SkipTokens().seal('["x"]', guid(0))
    const tampered = `${token.slice(0, -2)}${token.endsWith('A') ? 'B' : 'A'}${token.slice(-1)}`
    const attempts = [
      `/applications?$top=1&$skiptoken=${foreign}`,
      `/applications?$top=1&$skiptoken=${tampered}`,
      `/applications?$top=1&$skiptoken=${token}=`,
      `/applications?$top=1&$skiptoken=${token}&$filter=displayName eq 'Beta'`,
      `/servicePrincipals?$top=1&$skiptoken=${token}`,
      `/applications?$skiptoken=${encodeURIComponent("' OR 1=1 --")}`,
      '/applications?$skiptoken=',
    ]
    for (const path of attempts) {
      const { status, body } = await admin.get(path)
      assert.equal(status, 400, path)
      assert.equal(body.error.code, 'Directory_InvalidPageToken', path)
    }
    const stranger = await clientWith(allGraphRoles, fabrikam)
    assert.equal((await stranger.get(`/applications?$top=1&$skiptoken=${token}`)).status, 400)
  })

  it('requires a key of 32 bytes for its page tokens', () => {
    assert.throws(() => new SkipTokens(new Uint8Array(31)), TypeError)
  })
})
