import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownerTenantId, secretSha256, serverManagementAppId } from '@greeting/directory'
import { guid } from '../../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../../test/fixtures/directory/whole-directory.ts'
import { KeyEncryptionKey } from '../../../src/signing/key-encryption-key.ts'
import { allGraphRoles, contoso, fabrikam } from '../sample-graph.ts'
import { allManagementRoles, sampleManagement } from './sample-management.ts'

describe('the API of the server', () => {
  it('refuses callers that have only roles of Microsoft Graph', async () => {
    const { clientWith, request } = await sampleManagement()
    const admin = await clientWith(allGraphRoles, undefined, undefined, request)
    assert.equal((await admin.get('/keys')).status, 403)
  })

  it('refuses clients of other tenants, and grants them none of its roles', async () => {
    const { clientWith, managerWith } = await sampleManagement()
    const other = await managerWith(allManagementRoles, fabrikam)
    assert.equal((await other.get('/keys')).status, 403)
    assert.equal((await other.get('/tenants')).status, 403)
    const admin = await clientWith(allGraphRoles, fabrikam)
    const { status, body } = await admin.post('/servicePrincipals', {
      appId: serverManagementAppId,
    })
    assert.equal(status, 400)
    assert.match(body.error.message, /does not reference a valid application object/)
  })
})

describe('the signing keys', () => {
  it('are listed with their phases, without private members', async () => {
    const { managerWith } = await sampleManagement()
    const { status, body, headers } = await (await managerWith(['SigningKey.Read.All'])).get(
      '/keys',
    )
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(
      body.value.map(({ phase }) => phase),
      ['active', 'announced'],
    )
    assert.deepEqual(Object.keys(body.value[0] ?? {}), [
      'kid',
      'announcedDateTime',
      'signsFromDateTime',
      'certificate',
      'phase',
      'untilDateTime',
    ])
  })

  it('are rotated and revoked, and the audit record names the caller', async () => {
    const { keyRing, keys, managerWith } = await sampleManagement()
    const manager = await managerWith(['SigningKey.ReadWrite.All'])
    const [active, announced] = keys.states()
    const rotated = await manager.post('/keys/rotate')
    assert.equal(rotated.status, 200)
    assert.equal(rotated.body.kid, announced?.key.kid)
    assert.equal((await manager.post(`/keys/${active?.key.kid}/revoke`)).status, 204)
    assert.ok(!keys.states().some(({ key }) => key.kid === active?.key.kid))
    const unknown = await manager.post(`/keys/${active?.key.kid}/revoke`)
    assert.equal(unknown.status, 404)
    assert.equal(unknown.body.error.message, 'No signing key has this id.')
    const revocation = keyRing.events.find(({ action }) => action === 'revoke')
    assert.equal(revocation?.actor, manager.appId)
  })

  it('are encrypted with another key, which no response or record contains', async () => {
    const { keyRing, managerWith, log, refusals, reports } = await sampleManagement()
    const manager = await managerWith(['SigningKey.ReadWrite.All'])
    const to = KeyEncryptionKey.generate()
    const reply = await manager.post('/keys/reencrypt', { keyEncryptionKey: to.toBase64() })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { reencrypted: 2, keyEncryptionKeyId: to.id })
    for (const { kid, sealedPrivateKey } of (await keyRing.read()).ring)
      assert.ok(to.open(sealedPrivateKey, kid).length > 0)
    // The server still has the old key, so a second request is refused.
    const again = await manager.post('/keys/reencrypt', { keyEncryptionKey: to.toBase64() })
    assert.equal(again.status, 409)
    const malformed = await manager.post('/keys/reencrypt', {
      keyEncryptionKey: `${to.toBase64()}=`,
    })
    assert.equal(malformed.status, 400)
    const heard = JSON.stringify([reply, again, malformed, log.audit, refusals, reports])
    assert.ok(!heard.includes(to.toBase64().slice(0, 20)))
  })
})

describe('the audit log', () => {
  const exceptDone = ['portal.signIn', 'portal.confirm']

  it('is filtered by the query', async () => {
    const { managerWith, queries } = await sampleManagement()
    const reader = await managerWith(['AuditLog.Read.All'])
    const path = `/audit?log=signIns&tenantId=${fabrikam.id}&action=token.issue&outcome=refused&from=2026-01-01T00:00:00Z&limit=5`
    assert.equal((await reader.get(path)).status, 200)
    assert.equal((await reader.get('/audit')).status, 200)
    assert.equal((await reader.get('/audit?log=directory')).status, 200)
    const hidden = `/audit?portalSignIns=hidden&id=${fabrikam.id}`
    assert.equal((await reader.get(hidden)).status, 200)
    assert.deepEqual(queries, [
      {
        log: 'signIns',
        limit: 5,
        tenantId: fabrikam.id,
        action: 'token.issue',
        outcome: 'refused',
        from: new Date('2026-01-01T00:00:00Z'),
      },
      { log: 'directory', limit: 100 },
      { log: 'directory', limit: 100 },
      { log: 'directory', limit: 100, id: fabrikam.id, exceptDone },
    ])
  })

  it('has counts for 24 whole hours in UTC, with the current hour at the end', async () => {
    const { clock, counted, managerWith } = await sampleManagement()
    clock.now = new Date('2030-01-02T05:59:59.999+05:30')
    const reader = await managerWith(['AuditLog.Read.All'])
    const { status, body } = await reader.get('/audit/hours?log=signIns&portalSignIns=hidden')
    assert.equal(status, 200)
    const from = new Date('2030-01-01T01:00:00Z')
    assert.deepEqual(counted, [{ log: 'signIns', exceptDone, from, hours: 24 }])
    assert.deepEqual(body.value, [{ from: from.toISOString(), done: 2, refused: 1 }])
  })

  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=x',
    'log=other',
    'from=yesterday',
    'who=me',
    'before=garbage',
    'before=',
    'before=0',
    'actor=a&actor=b',
    'id=1',
    'portalSignIns=none',
  ])
    it(`refuses the query ${query}`, async () => {
      const { managerWith, queries } = await sampleManagement()
      const { status } = await (await managerWith(['AuditLog.Read.All'])).get(`/audit?${query}`)
      assert.equal(status, 400)
      assert.deepEqual(queries, [])
    })
})

describe('the list of expiring credentials', () => {
  const path = '/credentials?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z'

  it("contains the credentials of the caller's tenant that expire between two times", async () => {
    const { endings, managerWith } = await sampleManagement()
    const { status, body } = await (await managerWith(['AuditLog.Read.All'])).get(path)
    assert.equal(status, 200)
    assert.deepEqual(body.value[0]?.endDateTime, '2026-02-01T00:00:00.000Z')
    const [from, to] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-03-01T00:00:00Z')]
    assert.deepEqual(endings, [{ tenantId: contoso.id, from, to, limit: 100 }])
  })

  for (const query of ['', 'from=2026-01-01T00:00:00Z', 'limit=0', 'to=x', 'from=a&from=b'])
    it(`refuses the query ${query || 'without times'}`, async () => {
      const { endings, managerWith } = await sampleManagement()
      const reader = await managerWith(['AuditLog.Read.All'])
      assert.equal((await reader.get(`/credentials?${query}`)).status, 400)
      assert.deepEqual(endings, [])
    })
})

describe('a tenant', () => {
  it('is created with an administrator who can manage only this tenant', async () => {
    const { managerWith, store } = await sampleManagement()
    const manager = await managerWith(['Tenant.ReadWrite.All'])
    const { status, body } = await manager.post('/tenants', {
      displayName: 'Woodgrove',
      domains: ['Woodgrove.example'],
    })
    assert.equal(status, 201)
    const { clientId, clientSecret } = body.administrator as Record<string, string>
    const directory = await wholeDirectory(store)
    assert.equal(directory.tenant('woodgrove.example')?.id, body.id)
    const application = directory.applicationByAppId(clientId ?? '')
    assert.equal(application?.tenantId, body.id)
    assert.deepEqual(
      application?.passwordCredentials[0]?.secretSha256,
      secretSha256(clientSecret ?? ''),
    )
    const client = directory.servicePrincipalByAppId(body.id, clientId ?? '')
    assert.equal(directory.assignmentsOf(client?.id ?? '').length, allGraphRoles.length)
    const shown = await manager.get(`/tenants/${body.id}`)
    assert.ok(!JSON.stringify(shown.body).includes(clientSecret ?? ''))
  })

  for (const id of [ownerTenantId, fabrikam.id, guid(7)])
    it(`cannot get an ID that the caller chooses: ${id} (AS32)`, async () => {
      const { managerWith, store } = await sampleManagement()
      const manager = await managerWith(['Tenant.ReadWrite.All'])
      const { revision } = await wholeDirectory(store)
      const { status, body } = await manager.post('/tenants', { id, displayName: 'Mine' })
      assert.equal(status, 400)
      assert.match(body.error.message, /'id'/)
      assert.equal((await wholeDirectory(store)).revision, revision)
    })

  const computed = `${guid(7).replaceAll('-', '')}.onmicrosoft.com`
  for (const domain of [ownerTenantId, fabrikam.id.toUpperCase(), guid(7), computed])
    it(`cannot use a tenant ID as its domain: ${domain} (AS32)`, async () => {
      const { managerWith } = await sampleManagement()
      const manager = await managerWith(['Tenant.ReadWrite.All'])
      const made = await manager.post('/tenants', { displayName: 'Mine', domains: [domain] })
      assert.equal(made.status, 400)
      const changed = await manager.patch(`/tenants/${fabrikam.id}`, { domains: [domain] })
      assert.equal(changed.status, 400)
    })

  it('cannot use a domain of another tenant', async () => {
    const { managerWith } = await sampleManagement()
    const manager = await managerWith(['Tenant.ReadWrite.All'])
    const twin = { displayName: 'Twin', domains: ['fabrikam.example'] }
    assert.equal((await manager.post('/tenants', twin)).status, 409)
    const { body: fresh } = await manager.post('/tenants', { displayName: 'Fresh' })
    const taken = await manager.patch(`/tenants/${fresh.id}`, { domains: ['fabrikam.example'] })
    assert.equal(taken.status, 409)
  })

  it('gets another administrator after it loses the last one (AS32)', async () => {
    const { actAs, clientWith, log, managerWith, store } = await sampleManagement()
    const manager = await managerWith(['Tenant.ReadWrite.All'])
    const writer = await clientWith(['Application.ReadWrite.All'], fabrikam)
    assert.equal((await writer.delete(`/applications(appId='${writer.appId}')`)).status, 204)
    const { status, body, headers } = await manager.post(`/tenants/${fabrikam.id}/administrator`)
    assert.equal(status, 201)
    assert.equal(headers.get('cache-control'), 'no-store')
    const { clientId, clientSecret, tenantId } = body as unknown as Record<string, string>
    assert.equal(tenantId, fabrikam.id)
    const application = (await wholeDirectory(store)).applicationByAppId(clientId ?? '')
    assert.equal(application?.tenantId, fabrikam.id)
    assert.deepEqual(
      application?.passwordCredentials.map(({ secretSha256 }) => secretSha256),
      [secretSha256(clientSecret ?? '')],
    )
    const administrator = actAs(fabrikam.id, clientId ?? '')
    assert.equal((await administrator.post('/applications', { displayName: 'New' })).status, 201)
    assert.partialDeepStrictEqual(log.audit.at(-2), {
      actor: manager.appId,
      action: 'administrator.create',
      target: clientId,
    })
    assert.ok(!JSON.stringify(log.audit).includes(clientSecret ?? ''))
  })

  it('does not let a caller create an administrator with roles that the caller lacks (AS32)', async () => {
    const { anotherAdministrator, actAs, managerWith, request, store } = await sampleManagement()
    const manager = await managerWith(['Tenant.ReadWrite.All'])
    const { revision } = await wholeDirectory(store)
    const { status, body } = await manager.post(`/tenants/${contoso.id}/administrator`)
    assert.equal(status, 403)
    assert.match(body.error.message, /only a caller that has the role '.+' can assign it/)
    assert.equal((await wholeDirectory(store)).revision, revision)
    const { appId } = await anotherAdministrator()
    const administrator = actAs(contoso.id, appId, request)
    assert.equal((await administrator.post(`/tenants/${contoso.id}/administrator`)).status, 201)
  })

  it('must exist before it gets an administrator', async () => {
    const { managerWith } = await sampleManagement()
    const manager = await managerWith(['Tenant.ReadWrite.All'])
    assert.equal((await manager.post(`/tenants/${guid(9)}/administrator`)).status, 404)
    assert.equal((await manager.post(`/tenants/${ownerTenantId}/administrator`)).status, 404)
    assert.equal((await manager.post('/tenants/x/administrator')).status, 400)
  })

  it('can be disabled and enabled, except the tenant that administers the server', async () => {
    const { clientWith, managerWith, store } = await sampleManagement()
    const manager = await managerWith(['Tenant.ReadWrite.All'])
    const admin = await clientWith(allGraphRoles, fabrikam)
    assert.equal((await manager.patch(`/tenants/${fabrikam.id}`, { isEnabled: false })).status, 204)
    assert.equal((await admin.get('/applications')).status, 401)
    assert.equal((await manager.patch(`/tenants/${fabrikam.id}`, { isEnabled: true })).status, 204)
    assert.equal((await wholeDirectory(store)).tenant(fabrikam.id)?.isEnabled, true)
    const { body } = await manager.get("/tenants?$filter=displayName eq 'Contoso'")
    const own = await manager.patch(`/tenants/${body.value[0]?.id}`, { isEnabled: false })
    assert.equal(own.status, 403)
  })
})
