import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GuardEvent, GuardOptions } from '../../src/index.ts'
import { VirtualRuntime } from '../fakes/virtual-runtime.ts'
import { guardIn, reasonOf } from '../guard-factory.ts'
import { keySetOf, now, type Role, TokenFactory } from '../token-factory.ts'

const forge = new TokenFactory('key-1')
const attacker = new TokenFactory('key-1')

describe('a cached token', () => {
  const known = async (changes: Partial<GuardOptions<Role>> = {}) => {
    const environment = new VirtualRuntime(keySetOf(forge))
    const events: GuardEvent[] = []
    const made = guardIn(environment, { ...changes, listener: (event) => events.push(event) })
    const token = forge.token()
    await made.ask(token)
    const isRemembered = () => {
      const last = events.at(-1)
      return last?.type === 'admitted' && last.isCached
    }
    return { ...made, environment, token, isRemembered }
  }

  it('is verified only once', async () => {
    const { ask, token, isRemembered } = await known()
    assert.equal(isRemembered(), false)
    assert.equal(reasonOf(await ask(token)), 'admitted')
    assert.equal(isRemembered(), true)
  })

  it('is found despite additional spaces, and is stored once', async () => {
    const { guard, ask, token, isRemembered } = await known()
    for (const spaces of [0, 1, 2, 7, 8000]) {
      assert.equal(reasonOf(await ask(' '.repeat(spaces) + token)), 'admitted')
      assert.equal(isRemembered(), true)
    }
    assert.equal(guard.cachedTokens(), 1)
  })

  it('stays cached while many tokens are used once', async () => {
    const { ask, token, isRemembered } = await known({ maxCachedTokens: 10 })
    for (let index = 0; index < 100; index += 1) {
      await ask(forge.token({ uti: `${index}` }))
      await ask(token)
      assert.equal(isRemembered(), true)
    }
  })

  it('is the only one accepted with its signature (TC1)', async () => {
    const { ask, token } = await known()
    const [header, , signature] = token.split('.')
    const [, other] = forge.token({ roles: ['CallHelloApiRole'], sub: 'another client' }).split('.')
    assert.equal(reasonOf(await ask(`${header}.${other}.${signature}`)), 'signature_invalid')
    assert.equal(reasonOf(await ask(`${token}=`)), 'token_malformed')
    assert.equal(reasonOf(await ask(`x${token}`)), 'header_malformed')
    assert.equal(reasonOf(await ask(token)), 'admitted')
  })

  it('is checked for its roles at each request', async () => {
    const { ask } = await known()
    const token = forge.token({ roles: ['CallHiApiRole'] })
    for (const _ of ['remembered', 'found']) {
      assert.equal(reasonOf(await ask(token)), 'admitted')
    }
    assert.equal(reasonOf(await ask(token, 'CallHelloApiRole')), 'role_missing')
  })

  it('is refused after its expiry (TC2)', async () => {
    const { ask, token, environment } = await known()
    environment.setWallClock(3600 + 59)
    assert.equal(reasonOf(await ask(token)), 'admitted')
    environment.setWallClock(1)
    assert.equal(reasonOf(await ask(token)), 'expired')
  })

  it('is checked against the wall clock like a new token, even after a clock change (FL12)', async () => {
    const { ask, token, environment, guard } = await known()
    const year = 365 * 86_400
    for (const [jump, expected] of [
      [year, 'expired'],
      [-year, 'admitted'],
      [-year, 'not_yet_valid'],
      [year, 'admitted'],
      [-3600, 'not_yet_valid'],
      [3600, 'admitted'],
    ] as const) {
      environment.setWallClock(jump)
      assert.equal(reasonOf(await ask(token)), expected)
      assert.equal(guard.isReady(), true)
    }
    assert.equal(environment.fetched.length, 1)
  })

  it('is refused after its key is removed (FL10)', async () => {
    const { ask, guard, token, environment } = await known()
    environment.publish(keySetOf(new TokenFactory('key-3')))
    await environment.pass(3600)
    assert.equal(guard.cachedTokens(), 0)
    assert.equal(reasonOf(await ask(token)), 'key_unknown')
  })

  it('is refused if another key replaces its key under the same kid', async () => {
    const { ask, guard, token, environment } = await known()
    environment.publish(keySetOf(attacker))
    await environment.pass(3600)
    assert.equal(guard.cachedTokens(), 0)
    assert.equal(reasonOf(await ask(token)), 'signature_invalid')
  })

  it('is accepted after a refresh that returns the same key', async () => {
    const { ask, token, environment, isRemembered, guard } = await known()
    await environment.pass(3599)
    assert.equal(guard.keySets()[0]?.ageSeconds, 3599)
    await environment.pass(1)
    assert.equal(guard.keySets()[0]?.ageSeconds, 0)
    environment.setWallClock(-3600)
    assert.equal(reasonOf(await ask(token)), 'admitted')
    assert.equal(isRemembered(), true)
  })

  it('is never stored if the capacity is 0', async () => {
    const { ask, guard, token, isRemembered } = await known({ maxCachedTokens: 0 })
    await ask(token)
    assert.equal(guard.cachedTokens(), 0)
    assert.equal(isRemembered(), false)
  })

  it('is stored only after it is admitted, so refused tokens are not cached (TC3)', async () => {
    const environment = new VirtualRuntime(keySetOf(forge))
    const { ask, guard } = guardIn(environment)
    for (const token of [
      attacker.token(),
      forge.token({ exp: now - 3600 }),
      forge.token({ nbf: now + 3600 }),
      forge.token({ aud: 'api://another' }),
      forge.token({ cnf: { 'x5t#S256': 'x' } }),
      'a.b.c',
    ]) {
      for (const _ of ['once', 'again']) assert.notEqual(reasonOf(await ask(token)), 'admitted')
    }
    assert.equal(guard.cachedTokens(), 0)
  })
})
