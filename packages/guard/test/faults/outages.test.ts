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

describe('when the provider is unavailable for a long time', () => {
  it('for an hour: always 200 with known keys, at most one fetch in 30 s (FL2)', async () => {
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

  it('longer than the maximum age: 503, not 401 and not open, and 200 after its return (FL3)', async () => {
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

  it('a cached token gets 503 too above the maximum age', async () => {
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

describe('when the provider rotates', () => {
  it('on schedule, no token is refused (FL9)', async () => {
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

  it('without notice, the first token with the new key causes a refresh', async () => {
    const { environment, guard, ask } = blind()
    await guard.start()
    environment.publish(keySetOf(rotated))
    await environment.pass(30)
    assert.equal(reasonOf(await ask(rotated)), 'admitted')
    assert.equal(environment.fetched.length, 2)
  })
})

describe('when the provider truncates its answer', () => {
  it('at any byte, the old set stays (FL5)', async () => {
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
