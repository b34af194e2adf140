import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { application, guid } from '../../../../../test/fixtures/directory/sample.ts'
import { SkipTokens } from '../../../src/management/operations/skip-tokens.ts'
import { allGraphRoles, fabrikam } from '../sample-graph.ts'
import { displayNames, eventual, names, withNames } from './named-applications.ts'

// Every object is compared with each comparison, so their number is limited (AS38).
describe('$filter', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [`appId eq '${guid(0x203)}'`, ['Beta']],
    [`appId eq '${guid(0x203).toUpperCase()}'`, ['Beta']],
    [`appId eq ${guid(0x203)}`, ['Beta']],
    ["displayName eq 'Beta'", ['Beta']],
    ["displayName EQ 'Beta'", ['Beta']],
    ['createdDateTime eq null', []],
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
    ["displayName eq 'beta' or displayName eq 'GAMMA'", ['Beta', 'Gamma']],
    ["displayName in ('Beta', 'Gamma')", ['Beta', 'Gamma']],
    [`appId IN ('${guid(0x203)}')`, ['Beta']],
    ["(displayName eq 'Beta')", ['Beta']],
    [
      "(startsWith(displayName,'al') or displayName eq 'Beta') and signInAudience eq 'AzureADMyOrg'",
      ['Alpha', 'alpha', 'Beta'],
    ],
    [
      "displayName eq 'Beta' and displayName eq 'Gamma' or displayName eq 'Alpha'",
      ['Alpha', 'alpha'],
    ],
    ["DisplayName eq 'Beta'", ['Beta']],
    ["startswith(displayName,'B') eq true", ['Beta']],
    ["createdDateTime ge 2020-01-01T00:00:00Z and displayName eq 'Beta'", ['Beta']],
    ["createdDateTime le 2020-01-01T00:00:00Z and displayName eq 'Beta'", []],
    [
      "identifierUris/any(x:x eq 'https://contoso.example/3' ) or displayName eq 'Gamma'",
      ['Beta', 'Gamma'],
    ],
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

  const advanced: readonly (readonly [string, readonly string[]])[] = [
    ["displayName ne 'Beta' and startswith(displayName,'b')", []],
    ["not startswith(displayName,'a') and appId ne null", ["O'Brien's", 'Beta', 'Gamma']],
    ["NOT(displayName eq 'Beta' or displayName eq 'Gamma')", ["O'Brien's", 'Alpha', 'alpha']],
    ["startswith(displayName,'B') eq false and displayName in ('Beta','Gamma')", ['Gamma']],
    ["not identifierUris/any(x:startswith(x,'https://contoso.example/'))", []],
  ]
  for (const [filter, expected] of advanced) {
    it(`finds ${JSON.stringify(expected)} by the advanced filter ${filter}`, async () => {
      const { admin } = await withNames()
      const path = `/applications?$filter=${encodeURIComponent(filter)}&$count=true`
      const { status, body } = await admin.get(path, undefined, eventual)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(displayNames(body), expected)
      assert.equal((await admin.get(path)).body.error.code, 'Request_UnsupportedQuery')
      const counted = await admin.get(
        `/applications/$count?$filter=${encodeURIComponent(filter)}`,
        undefined,
        eventual,
      )
      assert.equal(Number(counted.body), body['@odata.count'])
    })
  }

  it('refuses ne within any, and endsWith, even in an advanced query', async () => {
    const { admin } = await withNames()
    for (const filter of ["identifierUris/any(x:x ne 'a')", "endsWith(displayName,'a')"]) {
      const path = `/applications?$count=true&$filter=${filter}`
      const { body } = await admin.get(path, undefined, eventual)
      assert.equal(body.error.code, 'Request_UnsupportedQuery', filter)
    }
  })

  it('finds the enabled service principals', async () => {
    const { admin } = await withNames()
    const { body } = await admin.get('/servicePrincipals?$filter=accountEnabled eq false')
    assert.deepEqual(body.value, [])
  })
})

describe('a query that is not supported (AS38)', () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['/applications?$filter=displayName', 'BadRequest', /Syntax error at position 11/],
    ['/applications?$filter=', 'BadRequest', /Syntax error at position 0/],
    ["/applications?$filter=(displayName eq 'x'", 'BadRequest', /Syntax error/],
    ['/applications?$filter=displayName eq (', 'BadRequest', /Syntax error at position 15/],
    ["/applications?$filter=displayName eq 'x' and", 'BadRequest', /Syntax error/],
    ["/applications?$filter=displayName eq 'x')", 'BadRequest', /Syntax error at position 18/],
    ["/applications?$filter=displayName eq 'x' ; drop", 'BadRequest', /Syntax error/],
    [
      `/applications?$filter=${Array(41).fill("appId eq 'x'").join(' and ')}`,
      'Request_UnsupportedQuery',
      /more than 40 comparisons/,
    ],
    [
      `/applications?$filter=${Array(16).fill("appId eq 'x'").join(' or ')}`,
      'Request_UnsupportedQuery',
      /'OR' operators: 16. Max allowed: 15/,
    ],
    [
      `/applications?$filter=appId in (${Array(16).fill("'x'").join(',')})`,
      'Request_UnsupportedQuery',
      /Max allowed: 15/,
    ],
    [
      `/applications?$filter=${'('.repeat(21)}appId eq 'x'${')'.repeat(21)}`,
      'Request_UnsupportedQuery',
      /more than 20 levels/,
    ],
    [
      `/applications?$filter=${'not '.repeat(21)}appId eq 'x'`,
      'Request_UnsupportedQuery',
      /more than 20 levels/,
    ],
    [`/applications?$filter=${'not '.repeat(3000)}`, 'BadRequest', /longer than 8192/],
    ["/applications?$filter=displayName gt 'x'", 'Request_UnsupportedQuery', /'gt' is not/],
    [
      "/applications?$filter=contains(displayName,'x')",
      'Request_UnsupportedQuery',
      /^Unsupported property filter clause operator 'Contains'\.$/,
    ],
    [
      "/applications?$filter=web/homePageUrl eq 'x'",
      'Request_UnsupportedQuery',
      /'web\/homePageUrl' is not supported/,
    ],
    [
      "/applications?$filter=displayName ge 'x'",
      'Request_UnsupportedQuery',
      /filter clause specified for property 'displayName' of resource 'Application'/,
    ],
    [
      "/applications?$filter=endsWith(displayName,'x')",
      'Request_UnsupportedQuery',
      /Operator 'endsWith' is not supported because the required parameters might be missing/,
    ],
    ['/applications?$filter=createdDateTime ge soon', 'BadRequest', /date and time/],
    [
      "/applications?$filter=displayName ne 'x'",
      'Request_UnsupportedQuery',
      /Operator 'ne' is not supported because the required parameters might be missing/,
    ],
    [
      "/applications?$filter=startswith(signInAudience,'x')",
      'Request_UnsupportedQuery',
      /Unsupported filter 'startsWith' for 'signInAudience'/,
    ],
    [
      "/applications?$filter=startswith(identifierUris,'x')",
      'Request_UnsupportedQuery',
      /identifierUris\/any/,
    ],
    ["/applications?$filter=identifierUris/any(x:startswith(y,'x'))", 'BadRequest', /Syntax error/],
    ["/applications?$filter=displayName eq 'x", 'BadRequest', /Syntax error at position 15/],
    [
      "/applications?$filter=nothing eq 'x'",
      'BadRequest',
      /Could not find a property named 'nothing' on type 'microsoft.graph.application'/,
    ],
    ["/applications?$filter=__proto__ eq 'x'", 'BadRequest', /Could not find a property/],
    [
      "/applications?$filter=web eq 'x'",
      'Request_UnsupportedQuery',
      /filter clause specified for property 'web' of resource 'Application'/,
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
    ['/applications?$expand=nothing', 'BadRequest', /Could not find a property named 'nothing'/],
    ['/applications?$orderby=web', 'Request_UnsupportedQuery', /Sorting not supported/],
    ['/applications?$orderby=nothing', 'BadRequest', /Could not find a property/],
    ['/applications?$orderby=displayName,id', 'Request_UnsupportedQuery', /Sorting not/],
    [
      "/applications?$orderby=displayName&$filter=appId eq 'x'",
      'Request_UnsupportedQuery',
      /Sorting not supported for current query/,
    ],
    [
      '/directory/deletedItems/microsoft.graph.application?$orderby=createdDateTime',
      'Request_UnsupportedQuery',
      /Sorting not supported/,
    ],
    [
      '/directory/deletedItems/microsoft.graph.servicePrincipal?$orderby=deletedDateTime',
      'Request_UnsupportedQuery',
      /Sorting not supported/,
    ],
    ['/applications?$orderby=deletedDateTime', 'Request_UnsupportedQuery', /Sorting not/],
    [
      '/applications?$search="displayName:x"',
      'Request_UnsupportedQuery',
      /special request header: 'ConsistencyLevel: eventual'/,
    ],
    [
      '/applications/$count',
      'Request_UnsupportedQuery',
      /^Raw count \(\/\$count\) is not supported because the 'ConsistencyLevel:eventual' header is missing\./,
    ],
    ['/applications?$skip=1', 'Request_BadRequest', /^'\$skip' is not supported by the service\.$/],
    ['/servicePrincipals?Skip=0', 'Request_BadRequest', /^'\$skip' is not supported by/],
    ['/applications?filter=x', 'BadRequest', /Syntax error/],
    ['/applications?$top=1&Top=2', 'BadRequest', /more than once/],
    [`/applications?${'x'.repeat(200)}=1`, 'Request_UnsupportedQuery', /'\$x{99}' is not/],
    [`/applications/${guid(0x100)}?$filter=id eq 'x'`, 'Request_UnsupportedQuery', /'\$filter'/],
    ['/applications?$skiptoken=x', 'Directory_InvalidPageToken', /belongs to another query/],
    ['/applications/not-a-guid', 'Request_BadRequest', /Invalid object identifier 'not-a-guid'/],
    ["/applications(appId='x')", 'Request_BadRequest', /Invalid object identifier 'x'/],
  ]
  for (const [path, code, message] of rows) {
    it(`is refused: ${path}`, async () => {
      const { admin } = await withNames()
      const { status, body } = await admin.get(path)
      assert.equal(status, 400)
      assert.equal(body.error.code, code)
      assert.match(body.error.message, message)
    })
  }
})

describe('$select', () => {
  it('limits the properties, omits the entity tag, and is repeated in the context (entra E273)', async () => {
    const { admin } = await withNames()
    const { body: list } = await admin.get('/applications?$select=id&$top=1')
    assert.deepEqual(Object.keys(list.value[0] ?? {}), ['id'])
    const { body } = await admin.get(`/applications/${guid(0x100)}?$select=appId,displayName`)
    assert.deepEqual(Object.keys(body), ['@odata.context', 'appId', 'displayName'])
    assert.equal(
      body['@odata.context'],
      'https://login.example/v1.0/$metadata#applications(appId,displayName)/$entity',
    )
  })
})

describe('a list', () => {
  it('has pages that together contain each object once', async () => {
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

  it('continues after objects are created and deleted', async () => {
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
    const outsider = await clientWith(allGraphRoles, fabrikam)
    assert.equal((await outsider.get(`/applications?$top=1&$skiptoken=${token}`)).status, 400)
  })

  it('requires a key of 32 bytes for its page tokens', () => {
    assert.throws(() => new SkipTokens(new Uint8Array(31)), TypeError)
  })
})
