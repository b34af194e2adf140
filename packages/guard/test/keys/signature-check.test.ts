import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createGuard, entra } from '../../src/index.ts'
import { admitKey } from '../../src/keys/verification-key.ts'
import { hideNodeCrypto } from '../fakes/hide-node-crypto.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { guardIn, reasonOf } from '../guard-factory.ts'
import { apiApplicationId, keySetOf, roles, TokenFactory, tenantId } from '../token-factory.ts'

const forge = new TokenFactory('key-1')
const other = new TokenFactory('key-2')

/** A guard that has its keys, on a runtime without `node:crypto`. */
const ready = async (t: TestContext) => {
  hideNodeCrypto(t)
  const environment = new VirtualRuntime(keySetOf(forge))
  const made = guardIn(environment)
  await made.guard.start()
  return { ...made, environment }
}

describe('a guard without node:crypto', () => {
  const rows: readonly [name: string, token: string, expected: string][] = [
    ['a good token', forge.token(), 'admitted'],
    ['a token signed by another key', other.token({}, { kid: 'key-1' }), 'signature_invalid'],
    ['a token of an unknown key', other.token(), 'key_unknown'],
    ['an expired token', forge.token({ exp: 1_700_000_000 }), 'expired'],
    ['a token for another API', forge.token({ aud: 'api://other' }), 'audience_not_ours'],
    ['a token without the role', forge.token({ roles: [] }), 'role_missing'],
  ]
  for (const [name, token, expected] of rows) {
    it(`decides that ${name} is ${expected}`, async (t) => {
      const { ask } = await ready(t)
      assert.equal(reasonOf(await ask(token)), expected)
    })
  }

  it('checks one token asynchronously, and then decides without a promise', async (t) => {
    const { guard } = await ready(t)
    const decide = () =>
      guard.decide({ authorization: `Bearer ${forge.token()}`, target: '/hi' }, 'CallHiApiRole')
    const first = decide()
    assert.ok(first instanceof Promise)
    assert.equal((await first).outcome, 'admitted')
    assert.equal(guard.cachedTokens(), 1)
    assert.ok(!(decide() instanceof Promise))
  })

  it('neither admits nor caches a token if its key is removed during the check', async (t) => {
    hideNodeCrypto(t)
    let published = [forge.jwk]
    const options = entra({ tenantId, apiApplicationId, roles, keys: () => published })
    const guard = createGuard(options, new VirtualRuntime(''))
    const credentials = { authorization: `Bearer ${forge.token()}`, target: '/hi' }
    const asked = guard.decide(credentials, 'CallHiApiRole')
    published = [other.jwk]
    assert.equal(guard.isReady(), true)
    assert.equal(reasonOf(await asked), 'key_unknown')
    assert.equal(guard.cachedTokens(), 0)
  })

  it('uses only keys with the exponent 65537', (t) => {
    hideNodeCrypto(t)
    assert.equal(admitKey({ ...forge.jwk, e: 'AQAD' }, undefined), 'exponent_unsafe')
  })
})
