import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GraphFixture } from '../../../../test/fixtures/graph/graph-fixture.ts'
import type { Json } from '../../../../test/fixtures/graph/graph-tenant.ts'
import { sampleFile } from '../samples.ts'

async function appliedFixture(): Promise<{ fixture: GraphFixture; api: Json; client: Json }> {
  const fixture = await GraphFixture.start()
  await fixture.apply(sampleFile())
  const [api = {}, client = {}] = await fixture.tenant.applications()
  return { fixture, api, client }
}

describe('applying a file does not change', () => {
  it('roles for users', async () => {
    const { fixture, api } = await appliedFixture()
    const forPeople = {
      id: '11111111-1111-4111-8111-111111111111',
      value: 'Reader',
      displayName: 'Reader',
      description: 'Reads.',
      isEnabled: true,
      allowedMemberTypes: ['User'],
    }
    const [first, ...others] = api.appRoles as Json[]
    const appRoles = [forPeople, { ...first, isEnabled: false }, ...others]
    await fixture.tenant.send('PATCH', `/applications/${api.id}`, { appRoles })
    const { stopped, done } = await fixture.apply(sampleFile())
    assert.equal(stopped, undefined)
    assert.deepEqual(done.map(({ kind }) => kind).at(0), 'setAppRoles')
    const after = await fixture.tenant.send('GET', `/applications/${api.id}`)
    const values = (after.appRoles as Json[]).map(({ value }) => value)
    assert.deepEqual(values.sort(), ['CallHelloApiRole', 'CallHiApiRole', 'Reader'])
  })

  it('delegated permissions', async () => {
    const { fixture, api, client } = await appliedFixture()
    const scope = { id: '22222222-2222-4222-8222-222222222222', type: 'Scope' }
    const others = '33333333-3333-4333-8333-333333333333'
    const requiredResourceAccess = [
      { resourceAppId: others, resourceAccess: [scope] },
      { resourceAppId: api.appId, resourceAccess: [scope] },
    ]
    await fixture.tenant.send('PATCH', `/applications/${client.id}`, { requiredResourceAccess })
    const { done } = await fixture.apply(sampleFile())
    assert.deepEqual(
      done.map(({ kind }) => kind),
      ['setPermissions'],
    )
    const after = await fixture.tenant.send<{
      requiredResourceAccess: { resourceAppId: string; resourceAccess: { type: string }[] }[]
    }>('GET', `/applications/${client.id}`)
    assert.deepEqual(
      after.requiredResourceAccess.map(({ resourceAppId, resourceAccess }) => [
        resourceAppId,
        resourceAccess.map(({ type }) => type).sort(),
      ]),
      [
        [api.appId, ['Role', 'Role', 'Scope']],
        [others, ['Scope']],
      ],
    )
  })

  it('applications with names that are similar to the names in the file', async () => {
    const { fixture } = await appliedFixture()
    const file = { clients: [{ displayName: "Ada's job" }] }
    await fixture.apply(file)
    await fixture.apply({ clients: [{ displayName: "ada's job" }] })
    assert.equal((await fixture.tenant.applications()).length, 4)
    assert.deepEqual((await fixture.apply(file)).done, [])
  })

  it('an API with another name, which its identifier URI finds, nor create a second API', async () => {
    const { fixture, api } = await appliedFixture()
    await fixture.tenant.send('PATCH', `/applications/${api.id}`, { displayName: 'Old name' })
    const identifierUris = [`api://${api.appId}`]
    const { done } = await fixture.apply({ apis: [{ ...sampleFile().apis[0], identifierUris }] })
    assert.deepEqual(
      done.map(({ kind }) => kind),
      ['updateApplication'],
    )
    const { displayName } = await fixture.tenant.send('GET', `/applications/${api.id}`)
    assert.equal(displayName, 'Greeting API')
  })
})
