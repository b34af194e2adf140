import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGuard, type GuardEvent } from '../../src/index.ts'
import { LocalKeySource } from '../../src/keys/local-key-source.ts'
import { reasonOf } from '../guard-factory.ts'
import { issuer, now, optionsWith, roles, TokenFactory, tenantId } from '../token-factory.ts'

const first = new TokenFactory('first')
const second = new TokenFactory('second')

function createSource(initial: readonly object[]) {
  const events: GuardEvent[] = []
  const published = { keys: initial, reads: 0 }
  const read = () => {
    published.reads += 1
    return published.keys
  }
  const source = new LocalKeySource(issuer, read, tenantId, (event) => events.push(event))
  return { source, events, published, kids: () => [...source.keys.keys()] }
}

describe('a local key source', () => {
  it("has its function's keys from the first update", () => {
    const { source, kids } = createSource([first.jwk, second.jwk])
    assert.equal(source.isUsable, false)
    assert.equal(source.ageSeconds, Number.POSITIVE_INFINITY)
    source.update()
    assert.deepEqual(kids(), ['first', 'second'])
    assert.equal(source.isUsable, true)
    assert.equal(source.isConfirmed, true)
    assert.equal(source.ageSeconds, 0)
  })

  it('validates each key by the rules for published keys', () => {
    const { source, events, kids } = createSource([
      first.jwk,
      { ...second.jwk, use: 'enc' },
      { ...second.jwk, d: 'AQAB' },
      { ...second.jwk, kid: 'other', issuer: 'https://login.example/another-tenant' },
    ])
    source.update()
    assert.deepEqual(kids(), ['first'])
    const faults = events.flatMap((event) => (event.type === 'key_unused' ? [event.fault] : []))
    assert.deepEqual(faults, ['use_not_signature', 'private_members', 'other_tenant'])
  })

  it('reports why each key is unusable if none is usable', () => {
    const { source, events } = createSource([{ ...first.jwk, use: 'enc' }])
    source.update()
    source.update()
    const told = events.map((event) => [event.type, 'fault' in event && event.fault])
    assert.deepEqual(told, [
      ['key_unused', 'use_not_signature'],
      ['key_set_refresh_failed', false],
    ])
  })

  it('keeps the key objects while the keys stay equal', () => {
    const { source, events, published } = createSource([first.jwk])
    source.update()
    const key = source.keys.get('first')
    published.keys = [first.jwk]
    source.update()
    source.update()
    assert.equal(source.keys.get('first'), key)
    assert.equal(events.filter(({ type }) => type === 'key_set_refreshed').length, 1)
  })

  it('drops a key as soon as its function no longer returns it', () => {
    const { source, events, published, kids } = createSource([first.jwk])
    source.update()
    const key = source.keys.get('first')
    published.keys = [second.jwk]
    source.update()
    assert.deepEqual(kids(), ['second'])
    assert.equal(key?.isPublished, false)
    assert.ok(events.some((event) => event.type === 'key_gone' && event.kid === 'first'))
  })

  it('detects a change within the same array', () => {
    const list = [first.jwk]
    const { source, kids } = createSource(list)
    source.update()
    list[0] = second.jwk
    source.update()
    assert.deepEqual(kids(), ['second'])
  })

  it('has no keys if its function returns no usable key, or throws', () => {
    const { source, events, published } = createSource([first.jwk])
    for (const keys of [[], [{ kty: 'EC', kid: 'ec' }]]) {
      published.keys = [first.jwk]
      source.update()
      const key = source.keys.get('first')
      published.keys = keys
      source.update()
      assert.equal(source.isUsable, false)
      assert.equal(source.isConfirmed, false)
      assert.equal(key?.isPublished, false)
    }
    const throwing = new LocalKeySource(
      issuer,
      () => {
        throw new Error('down')
      },
      undefined,
      (event) => events.push(event),
    )
    throwing.update()
    assert.equal(throwing.isUsable, false)
    const codes = events.flatMap((event) =>
      event.type === 'key_set_refresh_failed' ? [event.error.code] : [],
    )
    assert.deepEqual(codes, ['no_usable_key', 'no_usable_key', 'unreachable'])
  })
})

describe('a guard with the option keys', () => {
  const createGuardWith = (keys: () => readonly object[]) => {
    const trusted = { issuer, audiences: ['api'], tenantId, keys, tokenVersion: '1.0' }
    const claims = { applicationId: 'appid', tokenId: 'uti' }
    const fetch = () => assert.fail('the guard fetched a key set')
    const options = { ...optionsWith(), roles, issuers: [{ ...trusted, claims }] }
    return createGuard(options, { fetch, wallClockMs: () => now * 1000 })
  }
  const request = (token: string) => ({ authorization: `Bearer ${token}`, target: '/hi' })

  it('decides without a request, and refuses cached tokens of a revoked key', () => {
    let keys = [first.jwk, second.jwk]
    const guard = createGuardWith(() => keys)
    const token = request(first.token({ aud: 'api' }))
    const decide = () => {
      const decision = guard.decide(token, 'CallHiApiRole')
      assert.ok(!(decision instanceof Promise))
      return reasonOf(decision)
    }
    assert.deepEqual([decide(), decide(), decide()], ['admitted', 'admitted', 'admitted'])
    assert.equal(guard.cachedTokens(), 1)
    keys = [second.jwk]
    assert.equal(decide(), 'key_unknown')
    assert.equal(guard.cachedTokens(), 0)
    keys = []
    assert.equal(decide(), 'keys_unavailable')
  })

  it('reads the keys once for each request', () => {
    let reads = 0
    const guard = createGuardWith(() => {
      reads += 1
      return [first.jwk]
    })
    const token = request(first.token({ aud: 'api' }))
    for (const expected of [1, 2, 3]) {
      guard.decide(token, 'CallHiApiRole')
      assert.equal(reads, expected)
    }
  })

  it('is ready as soon as keys are available', async () => {
    let keys: readonly object[] = []
    const guard = createGuardWith(() => keys)
    await guard.start()
    assert.equal(guard.isReady(), false)
    keys = [first.jwk]
    assert.equal(guard.isReady(), true)
    assert.deepEqual(guard.keySets(), [{ url: issuer, isUsable: true, keys: 1, ageSeconds: 0 }])
    guard.stop()
  })
})
