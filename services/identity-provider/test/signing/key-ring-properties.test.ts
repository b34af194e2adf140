import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyRing } from '@greeting/directory/keys'
import fc from 'fast-check'
import { AgreedTime } from '../../../../packages/directory/src/clock/agreed-time.ts'
import {
  activeKey,
  keyPhases,
  keyStates,
  keysLacking,
  maintain,
  nextKey,
  revoke,
  rotate,
} from '../../src/signing/key-ring.ts'
import { keyScheduleSchema } from '../../src/signing/key-schedule.ts'

const longestTokenSeconds = 3600
const schedule = keyScheduleSchema.parse({ longestTokenSeconds })
const clockAllowanceSeconds = 300

type Step =
  | { do: 'wait'; seconds: number }
  | { do: 'tend' | 'rotate' | 'sign' }
  | { do: 'revoke'; which: number }

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.integer({ min: 0, max: 9_000_000 }),
    }),
    fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 600 }) }),
    fc.record({ do: fc.constantFrom('tend' as const, 'rotate' as const, 'sign' as const) }),
    fc.record({ do: fc.constant('revoke' as const), which: fc.nat(4) }),
  ),
  { maxLength: 60 },
)

/** Applies steps to a ring, and records its externally visible state. */
class Observed {
  ring: KeyRing = []
  now = new Date('2030-01-01T00:00:00Z')
  readonly everSigned = new Map<string, Date>()
  readonly revoked = new Set<string>()
  #made = 0

  spares(count: number) {
    return Array.from({ length: count }, () => {
      this.#made += 1
      return { kid: `key-${this.#made}`, certificate: '', sealedPrivateKey: '' }
    })
  }

  play(step: Step) {
    if (step.do === 'wait') this.now = new Date(this.now.getTime() + step.seconds * 1000)
    if (step.do === 'rotate') {
      this.ring = rotate(this.ring, activeKey(this.ring, this.now)?.kid ?? '', schedule, this.now)
    }
    if (step.do === 'revoke') {
      const kid = this.ring[step.which]?.kid
      if (kid === undefined) return
      this.revoked.add(kid)
      const lacking = nextKey(this.ring, this.now) === undefined ? 1 : 0
      this.ring = revoke(this.ring, kid, this.spares(lacking), schedule, this.now)
    }
    if (step.do === 'tend') {
      const spares = this.spares(keysLacking(this.ring, this.now))
      this.ring = maintain(this.ring, spares, schedule, new AgreedTime(this.now))
    }
  }

  published() {
    return this.ring.map(({ kid }) => kid)
  }
}

const play = (check: (observed: Observed, step: Step) => void) =>
  fc.assert(
    fc.property(steps, (sequence) => {
      const observed = new Observed()
      observed.play({ do: 'tend' })
      for (const step of sequence) {
        observed.play(step)
        check(observed, step)
      }
    }),
    { numRuns: 400 },
  )

describe('a key ring after any sequence of steps', () => {
  it('has exactly one active key, which is published', () => {
    play((observed) => {
      const { ring, now } = observed
      const active = keyStates(ring, schedule, now).filter(({ phase }) => keyPhases[phase].signs)
      assert.equal(active.length, 1)
      assert.equal(active[0]?.key, activeKey(ring, now))
      assert.ok(observed.published().includes(active[0]?.key.kid ?? ''))
    })
  })

  it('publishes several keys after each maintenance', () => {
    play((observed, step) => {
      if (step.do === 'tend') assert.ok(observed.published().length >= 2)
    })
  })

  it('publishes a key until each of its tokens has expired, unless it is revoked (FL9)', () => {
    play((observed) => {
      const { ring, now, everSigned, revoked } = observed
      everSigned.set(activeKey(ring, now)?.kid ?? '', now)
      for (const [kid, lastSigned] of everSigned) {
        const ageSeconds = (now.getTime() - lastSigned.getTime()) / 1000
        if (ageSeconds >= longestTokenSeconds + clockAllowanceSeconds || revoked.has(kid)) continue
        assert.ok(observed.published().includes(kid), `${kid} signed ${ageSeconds} s ago`)
      }
    })
  })

  it('never signs with a revoked key, and signs with an unannounced key only after a revocation', () => {
    play(({ ring, now, revoked }) => {
      const active = activeKey(ring, now)
      assert.ok(active && !revoked.has(active.kid))
      const noticeSeconds = (active.signsFrom.getTime() - active.announcedAt.getTime()) / 1000
      const isFirst = active.kid === 'key-1'
      assert.ok(isFirst || revoked.size > 0 || noticeSeconds >= schedule.onDemandNoticeSeconds)
    })
  })

  it('contains each key once, in signing order', () => {
    play(({ ring }) => {
      const times = ring.map(({ signsFrom }) => signsFrom.getTime())
      assert.deepEqual(
        times,
        times.toSorted((x, y) => x - y),
      )
      assert.equal(new Set(ring.map(({ kid }) => kid)).size, ring.length)
    })
  })
})
