import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuard, entra } from '../src/index.ts'
import { VirtualRuntime } from './fakes/virtual-runtime.ts'
import { reasonOf } from './guard-factory.ts'
import { apiApplicationId, keySetOf, roles, TokenFactory, tenantId } from './token-factory.ts'

const forge = new TokenFactory('key-1')
const v2 = {
  iss: `https://login.microsoftonline.com/${tenantId}/v2.0`,
  aud: apiApplicationId,
  azp: '6a8b4b39-1111-4222-8333-c0ffee000002',
  appid: undefined,
  ver: '2.0',
}

const both = (keySetUrl?: string) => {
  const environment = new VirtualRuntime(keySetOf(forge))
  const options = entra({ tenantId, apiApplicationId, roles, tokenVersions: ['1.0', '2.0'] })
  const issuers = options.issuers.map((issuer) => (keySetUrl ? { ...issuer, keySetUrl } : issuer))
  const guard = createGuard({ ...options, issuers }, environment)
  const ask = async (claims: Record<string, unknown>) =>
    reasonOf(
      await guard.decide(
        { authorization: `Bearer ${forge.token(claims)}`, target: '/' },
        'CallHiApiRole',
      ),
    )
  return { environment, guard, ask }
}

describe('two token versions', () => {
  it('are two issuers, each with its own key set', async () => {
    const { environment, guard, ask } = both()
    assert.equal(await ask({}), 'admitted')
    assert.equal(environment.fetched.length, 1)
    assert.equal(guard.isReady(), false)
    assert.equal(await ask(v2), 'admitted')
    assert.equal(guard.isReady(), true)
    assert.deepEqual(
      environment.fetched.map(({ url }) => url),
      guard.keySets().map(({ url }) => url),
    )
  })

  it('share one fetch if they have the same key set', async () => {
    const { environment, guard, ask } = both('https://mirror.example/keys')
    await guard.start()
    assert.equal(await ask({}), 'admitted')
    assert.equal(await ask(v2), 'admitted')
    assert.equal(environment.fetched.length, 1)
    assert.equal(guard.keySets().length, 1)
  })

  it('are separate: each has its own audience, client claim and version', async () => {
    const { ask } = both()
    assert.equal(await ask({ ...v2, aud: `api://${apiApplicationId}` }), 'audience_not_ours')
    assert.equal(await ask({ ...v2, azp: undefined, appid: 'x' }), 'claims_malformed')
    assert.equal(await ask({ ...v2, ver: '1.0' }), 'claims_malformed')
    assert.equal(await ask({ aud: apiApplicationId }), 'audience_not_ours')
    assert.equal(await ask({ ver: '2.0' }), 'claims_malformed')
  })
})
