import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { put } from '@greeting/directory'
import { guid } from '../../../../../../test/fixtures/directory/sample.ts'
import { fabrikam } from '../../sample-graph.ts'
import { withApi } from '../applications/sample-api.ts'

const reference = (id: string) => ({
  '@odata.id': `https://graph.example/v1.0/directoryObjects/${id}`,
})

async function withOwned() {
  const sample = await withApi()
  const { body: principal } = await sample.admin.post('/servicePrincipals', {
    appId: sample.api.appId,
  })
  return { ...sample, paths: [sample.path, `/servicePrincipals/${principal.id}`] }
}

describe('the owners of an object', () => {
  it('can be added, listed with their type, and removed', async () => {
    const { admin, paths } = await withOwned()
    for (const path of paths) {
      assert.deepEqual((await admin.get(`${path}/owners`)).body.value, [])
      const { status } = await admin.post(`${path}/owners/$ref`, reference(admin.principalId))
      assert.equal(status, 204)
      const { body } = await admin.get(`${path}/owners`)
      assert.partialDeepStrictEqual(body.value, [
        { '@odata.type': '#microsoft.graph.servicePrincipal', id: admin.principalId },
      ])
      assert.ok(!('identifierUris' in (body.value[0] ?? {})))
      assert.equal((await admin.delete(`${path}/owners/${admin.principalId}/$ref`)).status, 204)
      assert.equal((await admin.delete(`${path}/owners/${admin.principalId}/$ref`)).status, 404)
    }
  })

  for (const end of ['/', '/Microsoft.DirectoryServices.ServicePrincipal'])
    it(`can be added by a reference that ends with '${end}' (entra E378)`, async () => {
      const { admin, path } = await withOwned()
      const id = `https://graph.example/v2/${guid(1)}/directoryObjects/${admin.principalId}${end}`
      const { status } = await admin.post(`${path}/owners/$ref`, { '@odata.id': id })
      assert.equal(status, 204)
    })

  it('can be set at creation', async () => {
    const { admin } = await withOwned()
    const owners = { 'owners@odata.bind': [reference(admin.principalId)['@odata.id']] }
    const { body: application } = await admin.post('/applications', { displayName: 'X', ...owners })
    const { body: principal } = await admin.post('/servicePrincipals', {
      appId: application.appId,
      ...owners,
    })
    for (const path of [`/applications/${application.id}`, `/servicePrincipals/${principal.id}`]) {
      assert.equal((await admin.get(`${path}/owners`)).body.value.length, 1, path)
    }
  })

  it('are limited to 100', async () => {
    const { admin, api, commit, log, path } = await withOwned()
    const ownerIds = Array.from({ length: 100 }, (_, number) => guid(0x900 + number))
    const application = log.directory.application(api.id)
    assert.ok(application)
    await commit(put('application', { ...application, ownerIds }))
    const { body, status } = await admin.post(`${path}/owners/$ref`, reference(admin.principalId))
    assert.equal(status, 400)
    assert.match(body.error.message, /more than 100 owners/)
  })

  it('are hidden while they are deleted', async () => {
    const { admin, path } = await withOwned()
    const { body: application } = await admin.post('/applications', { displayName: 'Owner' })
    const { body: owner } = await admin.post('/servicePrincipals', { appId: application.appId })
    await admin.post(`${path}/owners/$ref`, reference(owner.id))
    await admin.delete(`/servicePrincipals/${owner.id}`)
    assert.deepEqual((await admin.get(`${path}/owners`)).body.value, [])
  })

  it('must be service principals of the tenant, each only once', async () => {
    const { admin, clientWith, path } = await withOwned()
    const foreign = await clientWith([], fabrikam)
    await admin.post(`${path}/owners/$ref`, reference(admin.principalId))
    const rows = [
      [
        reference(admin.principalId),
        400,
        /already exist for the following modified properties: 'owners'/,
      ],
      [reference(guid(7)), 404, /does not exist/],
      [reference(foreign.principalId), 404, /does not exist/],
      [reference('x'), 400, /must be a GUID/],
      [{ '@odata.id': `https://graph.example/v1.0/drives/${guid(7)}` }, 400, /must be a GUID/],
      [{}, 400, /is required/],
    ] as const
    for (const [body, status, message] of rows) {
      const reply = await admin.post(`${path}/owners/$ref`, body)
      assert.equal(reply.status, status)
      assert.match(reply.body.error.message, message)
    }
  })
})

describe('the objects of a service principal (entra E276)', () => {
  it('are its own and its created objects of both kinds, on pages of any size', async () => {
    const { admin, api, clientWith } = await withApi()
    const { body: resource } = await admin.post('/servicePrincipals', { appId: api.appId })
    const owner = await clientWith([])
    const reference = { '@odata.id': `https://login.example/directoryObjects/${owner.principalId}` }
    for (const path of [`/applications/${api.id}`, `/servicePrincipals/${resource.id}`])
      await admin.post(`${path}/owners/$ref`, reference)
    const idsAt = async (first: string) => {
      const ids: string[] = []
      for (let path = first; path !== ''; ) {
        const { body } = await admin.get(path.replace(/^.*\/v1\.0/, ''))
        ids.push(...body.value.map(({ id }) => id))
        path = body['@odata.nextLink'] ?? ''
      }
      return ids
    }
    for (const [principal, name] of [
      [owner.principalId, 'ownedObjects'],
      [admin.principalId, 'createdObjects'],
    ])
      for (const top of [1, 2, 999]) {
        const path = `/servicePrincipals/${principal}/${name}`
        assert.deepEqual(await idsAt(`${path}?$top=${top}`), [api.id, resource.id], path)
      }
    assert.deepEqual(await idsAt(`/servicePrincipals/${admin.principalId}/ownedObjects`), [])
    await admin.delete(`/applications/${api.id}`)
    assert.deepEqual(await idsAt(`/servicePrincipals/${owner.principalId}/ownedObjects`), [])
  })
})
