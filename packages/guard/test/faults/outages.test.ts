import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuard } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { assertUnavailable, reasonOf } from '../guard-factory.ts'
import { keySetOf, optionsWith, TokenFactory } from '../token-factory.ts'

const known = new TokenFactory('known')
const rotated = new TokenFactory('rotated')
const good = keySetOf(known)

/** A guard with virtual clocks and a fake provider. Its tokens are always new. */
function blind() {
  const environment = new VirtualRuntime(good)
  const guard = createGuard(optionsWith(), environment)
  const ask = async (forge: TokenFactory) => {
    const now = environment.wallClockMs() / 1000
    const token = forge.token({ iat: now - 300, nbf: now - 300, exp: now + 3600 })
    return guard.decide({ authorization: `Bearer ${token}`, target: '/' }, 'CallHiApiRole')
  }
  return { environment, guard, ask }
}

describe('the guard, while the provider is unavailable for a long time,', () => {
  it('always responds with 200 for an hour with known keys, and fetches at most once in 30 s (FL2)', async () => {
    const { environment, guard, ask } = blind()
    await guard.start()
    environment.goDown()
    await environment.pass(3600)
    const begun = environment.fetched.length
    for (let minute = 0; minute < 60; minute += 1) {
      await environment.pass(60)
      assert.equal(reasonOf(await ask(known)), 'admitted')
      assertUnavailable(await ask(rotated))
    }
    assert.ok(
      environment.fetched.length - begun <= 6 + 3600 / 30,
      `${environment.fetched.length - begun}`,
    )
  })

  it('responds with 503 after the maximum age, not with 401 or 200, and recovers (FL3)', async () => {
    const { environment, guard, ask } = blind()
    await guard.start()
    const remembered = await ask(known)
    assert.equal(reasonOf(remembered), 'admitted')
    environment.goDown()
    await environment.pass(86_400)
    assert.equal(guard.isReady(), false)
    assertUnavailable(await ask(known))
    assertUnavailable(await ask(rotated))
    environment.publish(keySetOf(rotated))
    await environment.pass(30)
    assert.equal(guard.isReady(), true)
    assert.equal(reasonOf(await ask(rotated)), 'admitted')
    assert.equal(reasonOf(await ask(known)), 'key_unknown')
  })

  it('also responds with 503 to a cached token after the maximum age', async () => {
    const { environment, guard } = blind()
    const token = known.token({ exp: environment.wallClockMs() / 1000 + 10 * 86_400 })
    const ask = async () =>
      guard.decide({ authorization: `Bearer ${token}`, target: '/' }, 'CallHiApiRole')
    assert.equal(reasonOf(await ask()), 'admitted')
    environment.goDown()
    await environment.pass(86_399)
    assert.equal(reasonOf(await ask()), 'admitted')
    await environment.pass(2)
    assertUnavailable(await ask())
  })
})

describe('the guard, when the provider rotates its keys,', () => {
  it('refuses no token if the rotation follows a schedule (FL9)', async () => {
    const { environment, guard, ask } = blind()
    await guard.start()
    const chain = [known, rotated, new TokenFactory('third')]
    for (const [index, next] of chain.slice(1).entries()) {
      const current = chain[index] ?? known
      environment.publish(keySetOf(current, next))
      assert.equal(reasonOf(await ask(current)), 'admitted')
      await environment.pass(3600)
      assert.equal(reasonOf(await ask(next)), 'admitted')
      assert.equal(reasonOf(await ask(current)), 'admitted')
      await environment.pass(3900)
      environment.publish(keySetOf(next))
      await environment.pass(3600)
      assert.equal(reasonOf(await ask(next)), 'admitted')
      assert.equal(reasonOf(await ask(current)), 'key_unknown')
    }
  })

  it('refreshes at the first token with the new key if there was no notice', async () => {
    const { environment, guard, ask } = blind()
    await guard.start()
    environment.publish(keySetOf(rotated))
    await environment.pass(30)
    assert.equal(reasonOf(await ask(rotated)), 'admitted')
    assert.equal(environment.fetched.length, 2)
  })
})

describe('the guard, when the provider truncates its response,', () => {
  it('keeps the old key set, wherever the response ends (FL5)', async () => {
    const { environment, guard, ask } = blind()
    await guard.start()
    for (let length = 0; length < good.length; length += 1) {
      environment.publish(good.slice(0, length))
      await environment.pass(30)
    }
    assert.ok(environment.fetched.length > good.length / 2)
    assert.equal(guard.isReady(), true)
    assert.equal(reasonOf(await ask(known)), 'admitted')
    assertUnavailable(await ask(rotated))
  })
})
