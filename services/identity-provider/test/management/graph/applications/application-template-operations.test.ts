import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withApi } from './sample-api.ts'

const template = '/applicationTemplates/8adf8e6e-67b2-4cf2-a259-e3dc5476c621/instantiate'

describe('the template for applications that are not in the gallery', () => {
  it('creates an application and its service principal', async () => {
    const { admin } = await withApi()
    const made = await admin.post(template, { displayName: 'Orders' })
    assert.equal(made.status, 201)
    const { application, servicePrincipal } = made.body as unknown as Record<
      'application' | 'servicePrincipal',
      { id: string; appId: string; displayName: string }
    >
    assert.equal(application.displayName, 'Orders')
    assert.equal(servicePrincipal.appId, application.appId)
    assert.equal((await admin.get(`/applications/${application.id}`)).status, 200)
    const { body } = await admin.get(`/servicePrincipals/${servicePrincipal.id}`)
    assert.equal(body.displayName, 'Orders')
  })

  for (const [fault, path, body, status] of [
    ['another template', template.replace('8adf8e6e', '00000000'), { displayName: 'x' }, 404],
    ['no name', template, {}, 400],
    ['additional properties', template, { displayName: 'x', serviceManagementReference: 'y' }, 400],
  ] as const)
    it(`is refused with ${fault}`, async () => {
      const { admin } = await withApi()
      assert.equal((await admin.post(path, body)).status, status)
    })
})
