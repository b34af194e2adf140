import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LabClock } from '../src/lab-clock.ts'

const start = Date.UTC(2030, 0, 1)

/** A clock over a system whose time the test moves. */
function clockAt(startMs: number) {
  const system = { ms: startMs }
  let changes = 0
  const clock = new LabClock(
    () => system.ms,
    () => {
      changes += 1
    },
  )
  return { clock, system, changes: () => changes }
}

const sinceStart = (clock: LabClock) => clock.wallClockMs() - start

describe('the lab clock', () => {
  it('equals the system clock until a change', () => {
    const { clock, system } = clockAt(start)
    system.ms += 5000
    assert.equal(sinceStart(clock), 5000)
    assert.deepEqual(clock.state, { now: new Date(start + 5000), isFrozen: false, offsetMs: 0 })
  })

  it('adds the parts of a duration, and continues to run', () => {
    const { clock, system } = clockAt(start)
    clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 })
    system.ms += 1
    assert.equal(sinceStart(clock), 86_400_000 + 7_200_000 + 180_000 + 4000 + 5 + 1)
  })

  it('stands still while it is frozen, even after a move, and continues from there', () => {
    const { clock, system } = clockAt(start)
    clock.freeze()
    system.ms += 10_000
    assert.equal(sinceStart(clock), 0)
    clock.advance({ seconds: -1 })
    assert.equal(sinceStart(clock), -1000)
    clock.resume()
    system.ms += 500
    assert.equal(sinceStart(clock), -500)
  })

  it('follows the system again after a reset', () => {
    const { clock, system } = clockAt(start)
    clock.freeze(new Date(start + 1))
    system.ms += 7
    clock.reset()
    assert.equal(sinceStart(clock), 7)
  })

  it('reports each change', () => {
    const { clock, changes } = clockAt(start)
    clock.freeze()
    clock.advance({ seconds: 1 })
    clock.set(new Date(start))
    clock.resume()
    clock.reset()
    assert.equal(changes(), 5)
  })

  for (const [name, change] of [
    ['a year after 2098', (clock: LabClock) => clock.set(new Date(Date.UTC(2099)))],
    ['a year before 2001', (clock: LabClock) => clock.freeze(new Date(0))],
    ['a duration without a unit', (clock: LabClock) => clock.advance({ days: Infinity })],
    ['a unit that does not exist', (clock: LabClock) => clock.advance({ weeks: 1 } as object)],
    ['an invalid date', (clock: LabClock) => clock.set(new Date(Number.NaN))],
  ] as const) {
    it(`refuses ${name}, and keeps its time`, () => {
      const { clock } = clockAt(start)
      assert.throws(() => change(clock), RangeError)
      assert.equal(sinceStart(clock), 0)
    })
  }
})
