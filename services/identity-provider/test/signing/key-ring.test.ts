import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyRing, NewSigningKey } from '@greeting/directory/keys'
import { AgreedTime } from '../../../../packages/directory/src/clock/agreed-time.ts'
import {
  activeKey,
  firstKeys,
  keyStates,
  keysLacking,
  maintain as maintainAt,
  nextKey,
  revoke,
  rotate,
} from '../../src/signing/key-ring.ts'
import { keyScheduleSchema } from '../../src/signing/key-schedule.ts'

const schedule = keyScheduleSchema.parse({ longestTokenSeconds: 3600 })
const start = Date.parse('2030-01-01T00:00:00Z')
const day = (days: number, seconds = 0) => new Date(start + days * 86_400_000 + seconds * 1000)

const spare = (kid: string): NewSigningKey => ({ kid, certificate: '', sealedPrivateKey: '' })
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(spare) as [
  NewSigningKey,
  NewSigningKey,
  NewSigningKey,
  NewSigningKey,
]

const maintain = (
  ring: KeyRing,
  spares: readonly NewSigningKey[],
  rules: typeof schedule,
  now: Date,
): KeyRing => maintainAt(ring, spares, rules, new AgreedTime(now))
const fresh = firstKeys([a, b], schedule, day(0))
const phases = (ring: KeyRing, now: Date) =>
  keyStates(ring, schedule, now)
    .map(({ key, phase }) => `${key.kid} ${phase}`)
    .join(', ')

describe('the phases of a signing key (AS26)', () => {
  it('begin with two keys, one active and one announced', () => {
    assert.equal(keysLacking([], day(0)), 2)
    assert.equal(phases(fresh, day(0)), 'a active, b announced')
    assert.deepEqual(nextKey(fresh, day(0))?.signsFrom, day(90))
  })

  for (const [now, expected] of [
    [day(89, 86_399), 'a active, b announced'],
    [day(90), 'a retired, b active'],
    [day(90, 3899), 'a retired, b active'],
    [day(900), 'a retired, b active'],
    [day(-400), 'a active, b announced'],
  ] as const) {
    it(`are ${expected} at ${now.toISOString()}, based on the clock alone`, () => {
      assert.equal(phases(fresh, now), expected)
    })
  }

  it('continue: the next key is announced when the last one begins to sign', () => {
    assert.equal(keysLacking(fresh, day(89)), 0)
    assert.equal(keysLacking(fresh, day(90)), 1)
    const ring = maintain(fresh, [c], schedule, day(90))
    assert.equal(phases(ring, day(90)), 'a retired, b active, c announced')
    assert.equal(phases(maintain(ring, [], schedule, day(91)), day(91)), 'b active, c announced')
  })

  it('include the full announcement period, even if maintenance is late', () => {
    const ring = maintain(fresh, [c], schedule, day(300))
    assert.equal(phases(ring, day(300)), 'a retired, b active, c announced')
    assert.deepEqual(nextKey(ring, day(300))?.signsFrom, day(314))
  })

  it('end only after a recorded retirement, never directly from active', () => {
    const jumped = maintain(fresh, [c], schedule, day(800))
    assert.equal(phases(jumped, day(800)), 'a retired, b active, c announced')
    assert.deepEqual(keyStates(jumped, schedule, day(800))[0]?.until, day(800, 3900))
    assert.equal(maintain(jumped, [], schedule, day(800, 3899)), jumped)
    assert.deepEqual(
      maintain(jumped, [], schedule, day(800, 3900)).map(({ kid }) => kid),
      ['b', 'c'],
    )
  })

  it('follow a clock that is set back, and a future retirement starts again', () => {
    const jumped = maintain(fresh, [c], schedule, day(800))
    const right = maintain(jumped, [], schedule, day(5))
    assert.deepEqual(
      right.map(({ kid, retiredAt }) => [kid, retiredAt]),
      [
        ['a', null],
        ['b', null],
        ['c', null],
      ],
    )
    assert.equal(phases(right, day(5)), 'a active, b announced, c announced')
    assert.deepEqual(maintain(jumped, [], schedule, day(95))[0]?.retiredAt, day(95))
  })

  it('do not change in a complete ring', () => {
    assert.equal(maintain(fresh, [c], schedule, day(50)), fresh)
  })

  it('follow a shorter schedule at once, but not a longer one', () => {
    const sooner = keyScheduleSchema.parse({ longestTokenSeconds: 3600, rotateAfterDays: 30 })
    const later = keyScheduleSchema.parse({ longestTokenSeconds: 3600, rotateAfterDays: 365 })
    const ring = maintain(fresh, [], sooner, day(10))
    assert.deepEqual(nextKey(ring, day(10))?.signsFrom, day(30))
    assert.equal(maintain(ring, [], later, day(11)), ring)
    assert.deepEqual(nextKey(maintain(fresh, [], sooner, day(80)), day(79))?.signsFrom, day(80))
  })

  it('keep a key published as long as its longest-lived token is valid (FL9)', () => {
    const longer = keyScheduleSchema.parse({ longestTokenSeconds: 86_400 })
    const ring = maintain(fresh, [], longer, day(1))
    const retired = maintain(ring, [c], longer, day(90))
    assert.equal(retired.length, 3)
    assert.equal(maintain(retired, [], longer, day(90, 86_699)).length, 3)
    assert.equal(maintain(retired, [], longer, day(90, 86_700)).length, 2)
  })
})

describe('a rotation on demand', () => {
  it("takes effect immediately if the announced key's notice has passed", () => {
    const ring = rotate(fresh, 'a', schedule, day(5))
    assert.equal(phases(ring, day(5)), 'a retired, b active')
  })

  it("waits until the announced key's notice has passed", () => {
    const ring = rotate(fresh, 'a', schedule, day(0, 10))
    assert.equal(phases(ring, day(0, 299)), 'a active, b announced')
    assert.equal(phases(ring, day(0, 300)), 'a retired, b active')
    assert.equal(rotate(ring, 'a', schedule, day(0, 20)), ring)
  })

  it('does nothing when the key to replace is not active', () => {
    const ring = maintain(rotate(fresh, 'a', schedule, day(5)), [c], schedule, day(5))
    assert.equal(rotate(ring, 'a', schedule, day(6)), ring)
  })

  it('never delays a rotation that is due earlier', () => {
    const ring = maintain(fresh, [c], schedule, day(90))
    assert.deepEqual(
      nextKey(rotate(ring, 'b', schedule, day(90)), day(90))?.signsFrom,
      day(90, 300),
    )
  })
})

describe('a revocation', () => {
  it('of the active key activates the announced key immediately', () => {
    const ring = revoke(fresh, 'a', [], schedule, day(1))
    assert.equal(phases(ring, day(1)), 'b active')
    assert.equal(phases(maintain(ring, [c], schedule, day(1)), day(1)), 'b active, c announced')
  })

  it('never lets a retired key sign again', () => {
    const ring = revoke(maintain(fresh, [c], schedule, day(90)), 'b', [], schedule, day(90, 60))
    assert.equal(phases(ring, day(90, 60)), 'a retired, c active')
    const late = revoke(fresh, 'b', [d], schedule, day(90, 60))
    assert.equal(phases(late, day(90, 60)), 'a retired, d active')
  })

  it('of an announced or retired key does not affect the active key', () => {
    const ring = maintain(fresh, [c], schedule, day(90))
    assert.equal(phases(revoke(ring, 'c', [], schedule, day(90)), day(90)), 'a retired, b active')
    assert.equal(phases(revoke(ring, 'a', [], schedule, day(90)), day(90)), 'b active, c announced')
  })

  it('of an unknown key changes nothing', () => {
    assert.equal(revoke(fresh, 'z', [], schedule, day(1)), fresh)
  })

  it('of any key leaves exactly one active key', () => {
    const ring = maintain(fresh, [c], schedule, day(90))
    for (const { kid } of ring) {
      assert.ok(activeKey(revoke(ring, kid, [d], schedule, day(90)), day(90)))
    }
  })
})
