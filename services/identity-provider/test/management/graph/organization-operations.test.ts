import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { contoso, fabrikam, sampleGraph } from '../sample-graph.ts'

const computed = `${contoso.id.replaceAll('-', '')}.onmicrosoft.com`

describe('the tenant of a caller', () => {
  it('is shown with its domains', async () => {
    const { clientWith } = await sampleGraph()
    const caller = await clientWith(['Application.Read.All'])
    const { body } = await caller.get('/organization')
    assert.partialDeepStrictEqual(body.value, [
      {
        id: contoso.id,
        displayName: 'Contoso',
        verifiedDomains: [
          { name: 'contoso.example', isDefault: true, isInitial: false },
          { name: computed, isDefault: false, isInitial: true },
        ],
      },
    ])
    const { body: domains } = await caller.get('/domains')
    assert.partialDeepStrictEqual(domains.value, [
      { id: computed, isDefault: false, isInitial: true },
      { id: 'contoso.example', isDefault: true, isInitial: false, isRoot: true, isVerified: true },
    ])
  })

  const initialDomains: [readonly string[], string][] = [
    [[], computed],
    [['contoso.example', 'contoso.onmicrosoft.com'], 'contoso.onmicrosoft.com'],
    [['contoso.mail.onmicrosoft.com'], computed],
  ]
  for (const [domains, initial] of initialDomains)
    it(`has the initial domain ${initial} if its domains are [${domains}] (entra E270)`, async () => {
      const { clientWith, commit } = await sampleGraph()
      await commit(put('tenant', { ...contoso, domains }))
      const caller = await clientWith(['Application.ReadWrite.All'])
      const { body: listed } = await caller.get('/domains')
      assert.deepEqual(
        listed.value.filter(({ isInitial }) => isInitial).map(({ id }) => id),
        [initial],
      )
      const identifierUris = [`https://${initial}/api`]
      const { status, body } = await caller.post('/applications', {
        displayName: 'API',
        identifierUris,
      })
      assert.equal(status, 201)
      assert.equal(body.publisherDomain, domains[0] ?? initial)
    })

  it('is shown by its ID, and each domain by its name, in any case', async () => {
    const { clientWith } = await sampleGraph()
    const caller = await clientWith(['Application.Read.All'])
    const rows: [string, number][] = [
      [`/organization/${contoso.id.toUpperCase()}`, 200],
      [`/organization/${fabrikam.id}`, 404],
      ['/domains/Contoso.example', 200],
      [`/domains/${computed}`, 200],
      ['/domains/fabrikam.example', 404],
    ]
    for (const [path, status] of rows) {
      const reply = await caller.get(path)
      assert.equal(reply.status, status, path)
      if (status === 200) assert.ok(path.toLowerCase().endsWith(reply.body.id))
    }
  })

  const information: readonly (readonly [path: string, tenantId: string | undefined])[] = [
    [`ByTenantId(tenantId='${contoso.id}')`, contoso.id],
    [`ByTenantId(tenantId='${fabrikam.id.toUpperCase()}')`, fabrikam.id],
    ["ByDomainName(domainName='fabrikam.example')", fabrikam.id],
    ["bydomainname(domainname='Contoso.example')", contoso.id],
    [`ByDomainName(domainName='${computed}')`, contoso.id],
    ["ByDomainName(domainName='unknown.example')", undefined],
    [`ByDomainName(domainName='${contoso.id}')`, undefined],
    ["ByTenantId(tenantId='contoso.example')", undefined],
    [`ByTenantId(domainName='${contoso.id}')`, undefined],
    ["ByTenantId(tenantId='11111111-2222-4333-8444-555555555555')", undefined],
  ]
  for (const [path, tenantId] of information)
    it(`is ${tenantId === undefined ? 'not ' : ''}found by findTenantInformation${path} (entra E319)`, async () => {
      const { clientWith } = await sampleGraph()
      const caller = await clientWith(['Application.Read.All'])
      const url = `/tenantRelationships/findTenantInformation${path}`
      const { status, body } = await caller.get(url)
      assert.equal(status, tenantId === undefined ? 404 : 200)
      if (tenantId === undefined) return
      const tenant = tenantId === contoso.id ? contoso : fabrikam
      assert.deepEqual(body, {
        '@odata.context': 'https://login.example/v1.0/$metadata#microsoft.graph.tenantInformation',
        tenantId,
        federationBrandName: null,
        displayName: tenant.displayName,
        defaultDomainName: tenant.domains[0],
      })
      assert.equal((await (await clientWith([])).get(url)).status, 403)
    })

  it('has no signed-in user', async () => {
    const { clientWith } = await sampleGraph()
    for (const path of ['/me', '/me/ownedObjects']) {
      const { status, body } = await (await clientWith([])).get(path)
      assert.equal(status, 400)
      assert.match(body.error.message, /only valid with delegated authentication flow/)
    }
  })
})
