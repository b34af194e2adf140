import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyGuid, graphAppId } from '@greeting/directory'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import { wholeDirectory } from '../../../../../../test/fixtures/directory/whole-directory.ts'
import { KeyEncryptionKey } from '../../../../src/signing/key-encryption-key.ts'
import { fixtureSigningKey } from '../../../signing/fixture-signing-key.ts'
import { allGraphRoles, fabrikam } from '../../sample-graph.ts'
import { role, withApi } from '../applications/sample-api.ts'

const forUsers = role({ id: guid(0x71), value: 'U', allowedMemberTypes: ['User'] })
const disabled = role({ id: guid(0x72), value: 'D', isEnabled: false })

async function withPrincipals() {
  const sample = await withApi({ appRoles: [role(), forUsers, disabled] })
  const { admin, api } = sample
  const { body: resource } = await admin.post('/servicePrincipals', { appId: api.appId })
  const { body: application } = await admin.post('/applications', { displayName: 'Client' })
  const { body: client } = await admin.post('/servicePrincipals', { appId: application.appId })
  const assignment = { principalId: client.id, resourceId: resource.id, appRoleId: role().id }
  return { ...sample, application, assignment, client, resource }
}

describe('a service principal', () => {
  it('is created for an application, and shows some of its properties', async () => {
    const { admin, api, path } = await withApi({ appRoles: [role()] })
    const identifierUris = [`api://${api.appId}`]
    await admin.patch(path, { identifierUris })
    const { status, body } = await admin.post('/servicePrincipals', {
      appId: api.appId.toUpperCase(),
      appRoleAssignmentRequired: true,
    })
    assert.equal(status, 201)
    assert.partialDeepStrictEqual(body, {
      accountEnabled: true,
      appDisplayName: 'API',
      appId: api.appId,
      appRoleAssignmentRequired: true,
      appRoles: [role()],
      displayName: 'API',
      servicePrincipalNames: [api.appId, ...identifierUris],
      servicePrincipalType: 'Application',
    })
    const found = await admin.get(`/servicePrincipals?$filter=appId eq '${api.appId}'`)
    assert.deepEqual(
      found.body.value.map(({ id }) => id),
      [body.id],
    )
    const byName = await admin.get(
      `/servicePrincipals?$filter=servicePrincipalNames/any(n:n eq 'api://${api.appId}')`,
    )
    assert.equal(byName.body.value.length, 1)
  })

  it('is created with a fixed property, if the request has the only possible value', async () => {
    const { admin, api } = await withApi()
    const create = (tokenEncryptionKeyId: string | null) =>
      admin.post('/servicePrincipals', { appId: api.appId, tokenEncryptionKeyId })
    const refused = await create(guid(9))
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /Property 'tokenEncryptionKeyId' is read-only/)
    assert.equal((await create(null)).status, 201)
  })

  it('is unique for each application and tenant', async () => {
    const { admin, resource } = await withPrincipals()
    const { status, body } = await admin.post('/servicePrincipals', { appId: resource.appId })
    assert.equal(status, 409)
    assert.equal(body.error.code, 'Request_MultipleObjectsWithSameKeyValue')
    assert.match(body.error.message, /is already in use/)
  })

  it('is created for a foreign application only if that is multitenant', async () => {
    const { admin, api, clientWith, path } = await withApi()
    const outsider = await clientWith(allGraphRoles, fabrikam)
    const refused = await outsider.post('/servicePrincipals', { appId: api.appId })
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /does not reference a valid application object/)
    await admin.patch(path, { signInAudience: 'AzureADMultipleOrgs' })
    assert.equal((await outsider.post('/servicePrincipals', { appId: api.appId })).status, 201)
    assert.equal((await outsider.get(path)).status, 404, 'the registration stays in its own tenant')
  })

  it('has two properties that can be changed', async () => {
    const { admin, client, store } = await withPrincipals()
    const path = `/servicePrincipals/${client.id}`
    const change = { accountEnabled: false, appRoleAssignmentRequired: true }
    assert.equal((await admin.patch(path, change)).status, 204)
    assert.partialDeepStrictEqual((await wholeDirectory(store)).servicePrincipal(client.id), change)
    for (const part of [{ displayName: 'x' }, { appId: guid(1) }, { accountEnabled: null }])
      assert.equal((await admin.patch(path, part)).status, 400, JSON.stringify(part))
  })

  it('cannot be changed if it belongs to a management API (AS32)', async () => {
    const { admin } = await withApi()
    const path = `/servicePrincipals(appId='${graphAppId}')`
    assert.equal((await admin.patch(path, { accountEnabled: false })).status, 403)
    assert.equal((await admin.delete(path)).status, 403)
    assert.equal((await admin.patch(path, { appRoleAssignmentRequired: true })).status, 403)
  })
})

describe('an app role assignment', () => {
  for (const [side, segment] of [
    ['client', 'appRoleAssignedTo'],
    ['resource', 'appRoleAssignments'],
  ] as const)
    it(`is also created at ${segment} of its ${side} (entra E345)`, async () => {
      const { admin, assignment, client, resource, ...sample } = await withPrincipals()
      const { id } = { client, resource }[side]
      const made = await admin.post(`/servicePrincipals/${id}/${segment}`, assignment)
      assert.equal(made.status, 201)
      assert.partialDeepStrictEqual(made.body, assignment)
      const { body } = await admin.get(`/servicePrincipals/${client.id}/appRoleAssignments`)
      assert.deepEqual(
        body.value.map((one) => one.id),
        [made.body.id],
      )
      const batched = { ...assignment, appRoleId: '00000000-0000-0000-0000-000000000000' }
      const headers = { 'content-type': 'application/json' }
      const url = `/servicePrincipals(appId='${{ client: sample.application, resource: sample.api }[side].appId}')/${segment}`
      const requests = [{ id: '1', method: 'POST', url, headers, body: batched }]
      const { body: batch } = await admin.post('/$batch', { requests })
      assert.partialDeepStrictEqual(batch.responses, [{ status: 201 }])
    })

  for (const [segment, own] of [
    ['appRoleAssignedTo', 'resourceId'],
    ['appRoleAssignments', 'principalId'],
  ] as const)
    it(`is created, listed, shown and removed at ${segment}`, async () => {
      const { admin, assignment, client, resource } = await withPrincipals()
      const all = `/servicePrincipals/${assignment[own]}/${segment}`
      const made = await admin.post(all, assignment)
      assert.equal(made.status, 201)
      assert.equal(made.body.id.length, 43)
      assert.partialDeepStrictEqual(made.body, {
        ...assignment,
        deletedDateTime: null,
        principalDisplayName: 'Client',
        principalType: 'ServicePrincipal',
        resourceDisplayName: 'API',
      })
      assert.match(String(made.body.createdDateTime), /^2026-02-01T12:00:00\.000\d{4}Z$/)
      for (const path of [
        `/servicePrincipals/${resource.id}/appRoleAssignedTo`,
        `/servicePrincipals/${client.id}/appRoleAssignments`,
      ]) {
        const { body } = await admin.get(path)
        assert.deepEqual(
          body.value.map(({ id }) => id),
          [made.body.id],
        )
      }
      assert.partialDeepStrictEqual((await admin.get(`${all}/${made.body.id}`)).body, assignment)
      assert.equal((await admin.delete(`${all}/${made.body.id}`)).status, 204)
      assert.equal((await admin.get(`${all}/${made.body.id}`)).status, 404)
    })

  it('can be removed only at its own two service principals', async () => {
    const { admin, assignment, application, client } = await withPrincipals()
    const all = `/servicePrincipals/${assignment.resourceId}/appRoleAssignedTo`
    const { body: made } = await admin.post(all, assignment)
    const elsewhere = `/servicePrincipals/${client.id}/appRoleAssignedTo/${made.id}`
    assert.equal((await admin.delete(elsewhere)).status, 404)
    await admin.delete(`/applications/${application.id}`)
    assert.deepEqual((await admin.get(all)).body.value, [], 'of a deleted client it is not shown')
  })

  it('grants access without a role if it has the empty GUID', async () => {
    const { admin, assignment } = await withPrincipals()
    const { status } = await admin.post(
      `/servicePrincipals/${assignment.resourceId}/appRoleAssignedTo`,
      { ...assignment, appRoleId: emptyGuid },
    )
    assert.equal(status, 201)
  })

  type Sample = Awaited<ReturnType<typeof withPrincipals>>
  const refused: Readonly<Record<string, (sample: Sample) => readonly [object, RegExp]>> = {
    'a role twice': (sample) => [
      sample.assignment,
      /^Permission being assigned already exists on the object$/,
    ],
    ...Object.fromEntries(
      Object.entries({
        'a role that the API does not have': guid(9),
        'a disabled role': disabled.id,
        'a role for users': forUsers.id,
      }).map(([name, appRoleId]) => [
        name,
        ({ assignment }: Sample) => [
          { ...assignment, appRoleId },
          /^Permission being assigned was not found on application$/,
        ],
      ]),
    ),
    'a client that does not exist': (sample) => [
      { ...sample.assignment, principalId: guid(9) },
      /^Not a valid reference update\.$/,
    ],
    'an API other than that in the path': (sample) => [
      { ...sample.assignment, resourceId: sample.client.id },
      /The id in the path must be the principalId or the resourceId/,
    ],
    'no role': ({ assignment: { principalId, resourceId } }) => [
      { principalId, resourceId },
      /'appRoleId': it is required/,
    ],
  }
  for (const [name, bodyOf] of Object.entries(refused))
    it(`of ${name} is refused`, async () => {
      const sample = await withPrincipals()
      const { admin, assignment } = sample
      const all = `/servicePrincipals/${assignment.resourceId}/appRoleAssignedTo`
      assert.equal((await admin.post(all, assignment)).status, 201)
      const [body, message] = bodyOf(sample)
      const reply = await admin.post(all, body)
      assert.equal(reply.status, 400)
      assert.equal(reply.body.error.code, 'Request_BadRequest')
      assert.match(reply.body.error.message, message)
    })
})

describe('the description of a service principal', () => {
  it('is stored and shown, and accepts read-only properties that are sent back', async () => {
    const { admin, client } = await withPrincipals()
    const path = `/servicePrincipals/${client.id}`
    const words = { description: 'Job', notes: 'n', tags: ['HideApp'], alternativeNames: ['x'] }
    assert.equal((await admin.patch(path, words)).status, 204)
    const { body } = await admin.get(path)
    assert.partialDeepStrictEqual(body, words)
    assert.equal((await admin.patch(path, { ...body, notes: null })).status, 204)
    assert.equal((await admin.get(path)).body.notes, null)
    const refused = await admin.patch(path, { displayName: 'Other' })
    assert.match(refused.body.error.message, /'displayName' is read-only/)
  })

  it('can be set at creation', async () => {
    const { admin } = await withPrincipals()
    const { body: application } = await admin.post('/applications', { displayName: 'New' })
    const { body } = await admin.post('/servicePrincipals', {
      appId: application.appId,
      '@odata.type': '#microsoft.graph.servicePrincipal',
      description: 'New',
      samlSingleSignOnSettings: null,
    })
    assert.equal(body.description, 'New')
  })
})

describe('a secret of a service principal', () => {
  it('is added, shown without its value, and removed', async () => {
    const { admin, client } = await withPrincipals()
    const path = `/servicePrincipals/${client.id}`
    const { status, body } = await admin.post(`${path}/addPassword`, {
      passwordCredential: { displayName: 'first' },
    })
    assert.equal(status, 200)
    assert.equal(typeof body.secretText, 'string')
    assert.partialDeepStrictEqual((await admin.get(path)).body.passwordCredentials, [
      { keyId: body.keyId, displayName: 'first', secretText: null },
    ])
    const removed = await admin.post(`${path}/removePassword`, { keyId: body.keyId })
    assert.equal(removed.status, 204)
    assert.deepEqual((await admin.get(path)).body.passwordCredentials, [])
    const again = await admin.post(`${path}/removePassword`, { keyId: body.keyId })
    assert.match(again.body.error.message, /No password credential found/)
  })
})

describe('a certificate of a service principal', () => {
  it('is added as Azure CLI writes it, stored with its keyId, and removed', async () => {
    const { admin, client } = await withPrincipals()
    const path = `/servicePrincipals/${client.id}`
    const { certificate: key } = await fixtureSigningKey(KeyEncryptionKey.generate(), new Date())
    const added = {
      '@odata.type': '#microsoft.graph.keyCredential',
      type: 'AsymmetricX509Cert',
      usage: 'Verify',
      displayName: 'CN=job',
      key: key.replaceAll(/.{64}/g, '$&\n'),
    }
    assert.equal((await admin.patch(path, { keyCredentials: [added] })).status, 204)
    const { body } = await admin.get(path)
    const [{ keyId }] = body.keyCredentials as [{ keyId: string }]
    assert.partialDeepStrictEqual(body.keyCredentials, [
      { displayName: 'CN=job', key: null, type: 'AsymmetricX509Cert', usage: 'Verify' },
    ])
    const selected = await admin.get(`${path}?$select=keyCredentials`)
    assert.partialDeepStrictEqual(selected.body, { keyCredentials: [{ keyId, key }] })
    assert.equal((await admin.patch(path, { ...body, notes: 'kept' })).status, 204)
    const shown = (await admin.get(path)).body
    assert.deepEqual(shown.keyCredentials, body.keyCredentials)
    assert.equal((await admin.patch(path, { keyCredentials: [] })).status, 204)
    assert.deepEqual((await admin.get(path)).body.keyCredentials, [])
  })

  for (const [name, entries, message] of [
    ['no certificate', [{ key: 'AAAA' }], /must be an X\.509 certificate/],
    ['the keyId of a credential of another object', [{ keyId: guid(1) }], /of this object/],
    ['101 entries', Array(101).fill({}), /100/],
  ] as const) {
    it(`with ${name} is refused`, async () => {
      const { admin, client } = await withPrincipals()
      const path = `/servicePrincipals/${client.id}`
      const { status, body } = await admin.patch(path, { keyCredentials: entries })
      assert.equal(status, 400)
      assert.match(body.error.message, message)
    })
  }
})
