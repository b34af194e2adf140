import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AgreedClock } from '../../src/clock/agreed-clock.ts'
import type { ClockMarks } from '../../src/clock/clock-marks.ts'

const start = Date.parse('2030-01-01T00:00:00Z')
const [minute, hour, day] = [60, 3600, 86_400]

/** A machine whose clocks a test sets, in seconds from the start, and the store that its servers share. */
function machine({ hasStoreClock = false } = {}) {
  const state = {
    wall: 0,
    elapsed: 1000,
    store: 0,
    marks: undefined as ClockMarks | undefined,
    full: undefined as Error | undefined,
  }
  const logged: string[] = []
  const dateOf = (seconds: number) => new Date(start + seconds * 1000)
  const open = () =>
    AgreedClock.open({
      now: () => dateOf(state.wall),
      elapsedMs: () => state.elapsed * 1000,
      readStoreMs: async () => (hasStoreClock ? dateOf(state.store).getTime() : undefined),
      marks: {
        read: async () => state.marks,
        write: async (marks) => {
          if (state.full) throw state.full
          state.marks = marks
        },
      },
      log: {
        info: (_, text) => logged.push(`info: ${text}`),
        warn: (_, text) => logged.push(`warn: ${text}`),
      },
    })
  /** Lets time pass on all clocks. */
  const pass = (seconds: number) => {
    state.wall += seconds
    state.elapsed += seconds
    state.store += seconds
  }
  /** Lets time pass for a server that compares its clock each minute. */
  const run = async (clock: AgreedClock, seconds: number) => {
    for (let passed = 0; passed < seconds; passed += minute) {
      pass(Math.min(minute, seconds - passed))
      await clock.compare()
    }
  }
  return { state, logged, dateOf, open, pass, run }
}

const agreedOf = async (clock: AgreedClock) => (await clock.agreedTime())?.date

describe('the clock of a server whose store has its own clock', () => {
  for (const [ahead, isAgreed] of [
    [30, true],
    [31, false],
    [-30, true],
    [-31, false],
    [800 * day, false],
    [-800 * day, false],
  ] as const) {
    it(`is ${isAgreed ? 'trusted' : 'distrusted'} while it is ${ahead} s ahead`, async () => {
      const { state, dateOf, logged, open } = machine({ hasStoreClock: true })
      state.wall = ahead
      const clock = await open()
      assert.deepEqual(
        await agreedOf(clock),
        isAgreed ? dateOf(Math.min(0, ahead)) : undefined,
        'the earlier of both clocks',
      )
      assert.equal(clock.isReady(), isAgreed)
      assert.equal(clock.offsetSeconds, ahead)
      assert.deepEqual([clock.disagreements, clock.isInDoubt], isAgreed ? [0, false] : [1, true])
      assert.deepEqual(clock.latestAgreed, dateOf(isAgreed ? ahead : 0))
      assert.equal(logged.length, isAgreed ? 0 : 1)
    })
  }

  it('stays distrusted until the clocks agree, and reports each change once', async () => {
    const { state, logged, open, pass, run } = machine({ hasStoreClock: true })
    state.wall = -5 * hour
    const clock = await open()
    await run(clock, 2 * day)
    assert.equal(await clock.agreedTime(), undefined)
    assert.deepEqual([clock.isReady(), clock.isBehind], [false, true])
    state.wall = state.store
    assert.ok(clock.isReady(), 'at once, without the store')
    assert.ok(await clock.agreedTime())
    pass(minute)
    await clock.compare()
    assert.deepEqual(logged, [
      'warn: the clock of this server is 18000 s behind the clock of the database: correct the wrong one. Nothing is deleted by its age until the clocks agree.',
      'info: the clock of this server agrees with the database again',
    ])
    assert.equal(clock.disagreements, 1)
  })

  it('queries the store before each step, because the last comparison may be outdated', async () => {
    const { state, open } = machine({ hasStoreClock: true })
    const clock = await open()
    assert.ok(clock.isReady())
    state.store += 60
    assert.equal(await clock.agreedTime(), undefined)
  })

  it('detects a jump between two comparisons', async () => {
    const { state, open } = machine({ hasStoreClock: true })
    const clock = await open()
    state.wall += 60
    assert.equal(clock.isReady(), false)
  })
})

describe('the clock of a server whose store has no clock', () => {
  it('is trusted while it runs evenly, even after the machine slept', async () => {
    const { dateOf, logged, open, pass, run } = machine()
    const clock = await open()
    await run(clock, hour)
    pass(10 * hour)
    await clock.compare()
    assert.deepEqual(await agreedOf(clock), dateOf(11 * hour))
    assert.ok(clock.isReady())
    assert.deepEqual(logged, [])
  })

  for (const [what, jump, sentence] of [
    ['forward', 800 * day, 'moved forward by 69120000 s'],
    ['back', -30 * day, 'moved back by 2592000 s'],
  ] as const) {
    it(`is distrusted as soon as it jumps ${what}, and trusted again when it returns`, async () => {
      const { state, dateOf, logged, open, run } = machine()
      const clock = await open()
      await run(clock, hour)
      state.wall += jump
      assert.equal(await clock.agreedTime(), undefined)
      assert.deepEqual([clock.isReady(), clock.disagreements], [false, 1])
      assert.deepEqual(clock.latestAgreed, dateOf(hour))
      await run(clock, 4 * minute)
      assert.equal(clock.isReady(), false)
      state.wall -= jump
      assert.ok(clock.isReady())
      assert.ok(await clock.agreedTime())
      assert.deepEqual(logged, [
        `warn: the clock of this server ${sentence}: correct the wrong one. Nothing is deleted by its age for up to 90000 s.`,
        'info: the clock of this server agrees again',
      ])
    })
  }

  for (const [jump, heldSeconds] of [
    [hour, hour],
    [-2 * hour, 2 * hour],
    [800 * day, 25 * hour],
  ] as const) {
    it(`makes the server ready 300 s after a jump by ${jump} s, and is trusted after ${heldSeconds} s`, async () => {
      const { state, logged, open, run } = machine()
      const clock = await open()
      state.wall += jump
      await clock.compare()
      await run(clock, 5 * minute)
      assert.equal(clock.isReady(), true)
      await run(clock, heldSeconds - 6 * minute)
      assert.equal(await clock.agreedTime(), undefined)
      await run(clock, minute)
      assert.ok(await clock.agreedTime())
      assert.equal(logged.at(-1), 'info: the clock of this server is believed again')
      assert.equal(clock.disagreements, 1)
    })
  }

  it('is usable on a full disk, and the next comparison reports the error', async () => {
    const { state, open, run } = machine()
    const full = new Error('full')
    state.full = full
    const clock = await open()
    assert.ok(await clock.agreedTime())
    await assert.rejects(run(clock, minute), full)
    state.wall += hour
    await assert.rejects(clock.compare(), full)
    assert.equal(clock.isReady(), false)
  })

  it('restarts its waiting time after a second jump', async () => {
    const { state, open, run } = machine()
    const clock = await open()
    state.wall += hour
    await run(clock, 50 * minute)
    state.wall += day
    await run(clock, 50 * minute)
    assert.equal(await clock.agreedTime(), undefined)
    assert.equal(clock.disagreements, 1, 'one doubt')
  })

  it('is distrusted if the server starts before the latest agreed time, until it is corrected', async () => {
    const { state, logged, open, run } = machine()
    await run(await open(), hour)
    state.wall -= 5 * hour
    const clock = await open()
    assert.deepEqual([clock.isReady(), clock.isBehind], [false, true])
    assert.equal(await clock.agreedTime(), undefined)
    assert.match(logged[0] ?? '', /^warn: the clock of this server is 18000 s behind the store:/)
    state.wall += 5 * hour
    assert.ok(clock.isReady())
    assert.ok(await clock.agreedTime())
  })

  for (const [gap, heldSeconds] of [
    [20, 0],
    [10 * minute, 10 * minute],
    [16 * hour, 16 * hour],
    [800 * day, 25 * hour],
  ] as const) {
    it(`makes the server ready after ${gap} s without servers, but prevents deletions for ${heldSeconds} s`, async () => {
      const { state, logged, open, run } = machine()
      await open()
      state.wall += gap
      const clock = await open()
      assert.ok(clock.isReady())
      assert.equal(clock.disagreements, 0)
      if (heldSeconds > 0) {
        await run(clock, heldSeconds - minute)
        assert.equal(await clock.agreedTime(), undefined)
        await run(clock, minute)
        assert.match(logged[0] ?? '', new RegExp(`^info: no server saw the last ${gap} s`))
      }
      assert.ok(await clock.agreedTime())
    })
  }

  it('continues its waiting time after a restart, so that it ends even if the server stops each night', async () => {
    const { pass, open, run } = machine()
    await open()
    pass(14 * day)
    await run(await open(), 8 * hour)
    pass(16 * hour)
    const clock = await open()
    await run(clock, hour)
    assert.ok(await clock.agreedTime())
  })

  it('starts its waiting time again if an earlier time was wrong', async () => {
    const { state, open, run } = machine()
    await open()
    state.wall += 800 * day
    await run(await open(), 24 * hour)
    state.wall -= 800 * day
    const clock = await open()
    await run(clock, 2 * hour)
    assert.equal(await clock.agreedTime(), undefined, '24 hours without an agreed time')
  })
})

describe('the clock of a lab', () => {
  it('is trusted at any time, and stores no agreed time', async () => {
    let now = new Date(start)
    const clock = await AgreedClock.open({
      now: () => now,
      elapsedMs: undefined,
      readStoreMs: () => Promise.reject(new TypeError('not expected')),
      marks: {
        read: () => Promise.reject(new TypeError('not expected')),
        write: () => Promise.reject(new TypeError('not expected')),
      },
      log: { info: () => assert.fail(), warn: () => assert.fail() },
    })
    now = new Date(start + 800 * day * 1000)
    await clock.compare()
    assert.deepEqual(await agreedOf(clock), now)
    assert.ok(clock.isReady())
    assert.equal(clock.offsetSeconds, undefined)
  })
})
