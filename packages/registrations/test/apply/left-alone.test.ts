import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Json } from '../../../../fixtures/graph/fake-directory.ts'
import { GraphFixture } from '../../../../fixtures/graph/graph-fixture.ts'
import { sampleFile } from '../samples.ts'

async function appliedWorld(): Promise<{ fixture: GraphFixture; api: Json; client: Json }> {
  const fixture = new GraphFixture()
  await fixture.apply(sampleFile())
  const [api = {}, client = {}] = fixture.fake.directory.applications.values()
  return { fixture, api, client }
}

describe('applying a file does not change', () => {
  it('roles of users', async () => {
    const { fixture, api } = await appliedWorld()
    const forPeople = {
      id: '11111111-1111-4111-8111-111111111111',
      value: 'Reader',
      displayName: 'Reader',
      description: 'Reads.',
      isEnabled: true,
      allowedMemberTypes: ['User'],
    }
    api.appRoles = [forPeople, ...(api.appRoles as Json[]).slice(1)]
    const { stopped, done } = await fixture.apply(sampleFile())
    assert.equal(stopped, undefined)
    assert.deepEqual(done.map(({ kind }) => kind).at(0), 'setAppRoles')
    const values = (api.appRoles as Json[]).map(({ value }) => value)
    assert.deepEqual(values.sort(), ['CallHelloApiRole', 'CallHiApiRole', 'Reader'])
  })

  it('delegated permissions', async () => {
    const { fixture, api, client } = await appliedWorld()
    const scope = { id: '22222222-2222-4222-8222-222222222222', type: 'Scope' }
    const others = '33333333-3333-4333-8333-333333333333'
    client.requiredResourceAccess = [
      { resourceAppId: others, resourceAccess: [scope] },
      { resourceAppId: api.appId, resourceAccess: [scope] },
    ]
    const { done } = await fixture.apply(sampleFile())
    assert.deepEqual(
      done.map(({ kind }) => kind),
      ['setPermissions'],
    )
    const kept = client.requiredResourceAccess as {
      resourceAppId: string
      resourceAccess: { type: string }[]
    }[]
    assert.deepEqual(
      kept.map(({ resourceAppId, resourceAccess }) => [
        resourceAppId,
        resourceAccess.map(({ type }) => type).sort(),
      ]),
      [
        [api.appId, ['Role', 'Role', 'Scope']],
        [others, ['Scope']],
      ],
    )
  })

  it('applications with names that are similar to those of the file', async () => {
    const { fixture } = await appliedWorld()
    const file = { clients: [{ displayName: "Ada's job" }] }
    await fixture.apply(file)
    await fixture.apply({ clients: [{ displayName: "ada's job" }] })
    assert.equal(fixture.fake.directory.applications.size, 4)
    assert.deepEqual((await fixture.apply(file)).done, [])
  })

  it('an API with another name: its identifier URI finds it, and no second API is created', async () => {
    const { fixture, api } = await appliedWorld()
    api.displayName = 'Old name'
    const identifierUris = [`api://${api.appId}`]
    const { done } = await fixture.apply({ apis: [{ ...sampleFile().apis[0], identifierUris }] })
    assert.deepEqual(
      done.map(({ kind }) => kind),
      ['updateApplication'],
    )
    assert.equal(api.displayName, 'Greeting API')
  })
})
