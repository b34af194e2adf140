import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId } from '@greeting/directory'
import { blueprintType, withAgent } from './sample-agents.ts'

const all = {
  resourceAppId: graphAppId,
  inheritableScopes: { '@odata.type': '#microsoft.graph.allAllowedScopes', kind: 'allAllowed' },
  inheritableRoles: { '@odata.type': '#microsoft.graph.allAllowedRoles', kind: 'allAllowed' },
}

async function withPermissions() {
  const sample = await withAgent()
  const path = `/applications/${blueprintType}/${sample.blueprint.appId}/inheritablePermissions`
  return { ...sample, path }
}

describe('the inheritable permissions of a blueprint', () => {
  it('are created, shown, changed and deleted', async () => {
    const { admin, path } = await withPermissions()
    const created = await admin.post(path, all)
    assert.equal(created.status, 201)
    const { '@odata.context': _context, ...body } = created.body
    assert.deepEqual(body, all)
    const one = `${path}/${graphAppId}`
    const changed = await admin.patch(one, {
      inheritableRoles: { '@odata.type': 'microsoft.graph.noRoles' },
    })
    assert.equal(changed.status, 200)
    const none = { '@odata.type': '#microsoft.graph.noRoles', kind: 'none' }
    assert.deepEqual(changed.body.inheritableRoles, none)
    assert.deepEqual(changed.body.inheritableScopes, all.inheritableScopes)
    assert.deepEqual((await admin.get(one)).body.inheritableRoles, none)
    assert.equal((await admin.delete(one)).status, 204)
    assert.deepEqual((await admin.get(path)).body.value, [])
  })

  const accepted: readonly (readonly [body: object, roles: string, scopes: string])[] = [
    [
      { inheritableRoles: { '@odata.type': 'microsoft.graph.allAllowedRoles' } },
      'allAllowed',
      'none',
    ],
    [{ inheritableRoles: { kind: 'allAllowed' } }, 'allAllowed', 'none'],
    [{ inheritableScopes: { '@odata.type': '#Microsoft.Graph.NoScopes' } }, 'none', 'none'],
    [{ inheritableScopes: { kind: 'allAllowed' } }, 'none', 'allAllowed'],
    [{}, 'none', 'none'],
  ]
  for (const [body, roles, scopes] of accepted)
    it(`may be ${JSON.stringify(body)}`, async () => {
      const { admin, path } = await withPermissions()
      const reply = await admin.post(path, { resourceAppId: graphAppId, ...body })
      const { inheritableRoles, inheritableScopes } = reply.body
      assert.equal(Object(inheritableRoles).kind, roles)
      assert.equal(Object(inheritableScopes).kind, scopes)
    })

  const refused: readonly (readonly [body: object, status: number, code: string])[] = [
    [{ ...all, resourceAppId: 'no-guid' }, 400, 'Request_BadRequest'],
    [{ ...all, resourceAppId: undefined }, 400, 'Request_BadRequest'],
    [{ ...all, inheritableRoles: { kind: 'enumerated' } }, 400, 'Request_BadRequest'],
    [{ ...all, inheritableRoles: {} }, 400, 'Request_BadRequest'],
    [{ ...all, other: 1 }, 400, 'Request_BadRequest'],
    [all, 409, 'Request_MultipleObjectsWithSameKeyValue'],
  ]
  for (const [body, status, code] of refused)
    it(`are refused with ${status} when they are ${JSON.stringify(body)} and Graph permissions exist`, async () => {
      const { admin, path } = await withPermissions()
      await admin.post(path, all)
      const reply = await admin.post(path, body)
      assert.equal(reply.status, status)
      assert.equal(reply.body.error.code, code)
    })

  const otherApi = '11111111-2222-4333-8444-555555555555'
  const repeated: readonly (readonly [resourceAppId: unknown, status: number])[] = [
    [graphAppId, 200],
    [graphAppId.toUpperCase(), 200],
    [otherApi, 400],
    ['no-guid', 400],
    [null, 400],
  ]
  for (const [resourceAppId, status] of repeated)
    for (const place of ['before', 'after'])
      it(`return ${status} for a change with resourceAppId ${resourceAppId} and the cast ${place} the key`, async () => {
        const { admin, blueprint, path } = await withPermissions()
        await admin.post(path, { resourceAppId: graphAppId })
        const set =
          place === 'before'
            ? path
            : `/applications/${blueprint.id}/${blueprintType}/inheritablePermissions`
        const reply = await admin.patch(`${set}/${graphAppId}`, { ...all, resourceAppId })
        assert.equal(reply.status, status)
        const { inheritableRoles } = (await admin.get(`${path}/${graphAppId}`)).body
        assert.equal(Object(inheritableRoles).kind, status === 200 ? 'allAllowed' : 'none')
      })

  it('name at most ten APIs', async () => {
    const { admin, path } = await withPermissions()
    const add = () => admin.post(path, { ...all, resourceAppId: crypto.randomUUID() })
    for (let count = 0; count < 10; count += 1) assert.equal((await add()).status, 201)
    assert.equal((await add()).body.error.code, 'Request_BadRequest')
  })

  it('are separate for each API', async () => {
    const { admin, path } = await withPermissions()
    assert.equal((await admin.get(`${path}/${graphAppId}`)).status, 404)
    assert.equal((await admin.delete(`${path}/no-guid`)).status, 400)
  })
})
