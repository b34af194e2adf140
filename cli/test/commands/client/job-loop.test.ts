import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  byCron,
  everyMs,
  type LoopOptions,
  loopJob,
  type Run,
  type Schedule,
} from '../../../src/commands/client/job-loop.ts'

const noonMs = Date.UTC(2026, 0, 1, 12)

/** A job with a virtual clock: time passes only by sleeping and during a run. */
class LoopFixture {
  nowMs = noonMs
  randomValue = 0
  readonly stop = new AbortController()
  readonly runs: Run<number>[] = []

  /** Runs the loop until it has reported `most` runs. */
  loop(schedule: Schedule, most: number, options: Partial<LoopOptions<number>> = {}) {
    return loopJob<number>({
      schedule,
      perform: async () => 1,
      onRun: (run) => {
        this.runs.push(run)
        if (this.runs.length === most) this.stop.abort()
      },
      stop: this.stop.signal,
      clock: {
        epochMs: () => this.nowMs,
        random: () => this.randomValue,
        sleep: async (ms, signal) => {
          if (!signal.aborted) this.nowMs += ms
        },
      },
      ...options,
    })
  }

  get startsSeconds(): number[] {
    return this.runs.map(({ startEpochMs }) => (startEpochMs - noonMs) / 1000)
  }
}

const fails = async () => {
  throw new Error('no')
}

describe('a job that runs every minute', () => {
  const everyMinute = everyMs(60_000, noonMs)

  it('runs immediately, and then at equal intervals', async () => {
    const fixture = new LoopFixture()
    await fixture.loop(everyMinute, 3)
    assert.deepEqual(fixture.startsSeconds, [0, 60, 120])
  })

  it('adds random delays that do not accumulate', async () => {
    const fixture = new LoopFixture()
    fixture.randomValue = 0.5
    await fixture.loop(everyMinute, 3)
    assert.deepEqual(fixture.startsSeconds, [0, 63, 123])
    const other = new LoopFixture()
    other.randomValue = 0.5
    await other.loop(everyMinute, 3, { jitterMs: 20_000 })
    assert.deepEqual(other.startsSeconds, [0, 70, 130])
  })

  it('never runs concurrently: it skips and counts the times during a run', async () => {
    const fixture = new LoopFixture()
    const perform = async () => {
      fixture.nowMs += 150_000
      return 1
    }
    await fixture.loop(everyMinute, 3, { perform })
    assert.deepEqual(fixture.startsSeconds, [0, 180, 360])
    assert.deepEqual(
      fixture.runs.map(({ skipped, durationMs }) => [skipped, durationMs]),
      [
        [0, 150_000],
        [2, 150_000],
        [2, 150_000],
      ],
    )
  })

  it('continues after failures', async () => {
    const fixture = new LoopFixture()
    assert.equal(await fixture.loop(everyMinute, 5, { perform: fails }), undefined)
    assert.equal(fixture.runs.length, 5)
  })

  it('stops with the last error after too many failures in a row', async () => {
    const fixture = new LoopFixture()
    const error = await fixture.loop(everyMinute, 99, { perform: fails, failAfter: 3 })
    assert.match(String(error), /no/)
    assert.equal(fixture.runs.length, 3)
  })

  it('counts failures from zero again after a success', async () => {
    const fixture = new LoopFixture()
    let run = 0
    const perform = async () => {
      run += 1
      return run % 3 === 0 ? 1 : fails()
    }
    assert.equal(await fixture.loop(everyMinute, 9, { perform, failAfter: 3 }), undefined)
    assert.equal(fixture.runs.length, 9)
  })

  it('completes the current run if it is stopped, and starts no other', async () => {
    const fixture = new LoopFixture()
    const perform = async () => {
      fixture.stop.abort()
      return 1
    }
    await fixture.loop(everyMinute, 99, { perform })
    assert.equal(fixture.runs.length, 1)
  })

  it('stops while it waits', async () => {
    const fixture = new LoopFixture()
    await fixture.loop(everyMinute, 99, { onNext: () => fixture.stop.abort() })
    assert.equal(fixture.runs.length, 1)
  })
})

describe('a cron job', () => {
  it('waits for the first due time', async () => {
    const fixture = new LoopFixture()
    await fixture.loop(byCron('*/5 * * * *', 'UTC'), 3)
    assert.deepEqual(fixture.startsSeconds, [300, 600, 900])
  })

  it('follows its time zone, including daylight saving time', async () => {
    const schedule = byCron('30 2 * * *', 'Europe/Zurich')
    const winter = schedule.nextAfter(Date.UTC(2026, 0, 1, 12))
    const summer = schedule.nextAfter(Date.UTC(2026, 6, 1, 12))
    assert.equal(winter, Date.UTC(2026, 0, 2, 1, 30))
    assert.equal(summer, Date.UTC(2026, 6, 2, 0, 30))
  })

  it('stops if no further time is due', async () => {
    const fixture = new LoopFixture()
    await fixture.loop(byCron('0 0 13 1 1 * 2026', 'UTC'), 99)
    assert.deepEqual(fixture.startsSeconds, [3600])
  })

  for (const [expression, zone] of [
    ['', undefined],
    ['every day', undefined],
    ['61 * * * *', undefined],
    ['* * * * *', 'Mars/Olympus'],
  ] as const) {
    it(`is refused if its expression or time zone is invalid: ${JSON.stringify(expression)} ${zone ?? ''}`, () => {
      assert.throws(() => byCron(expression, zone), { exit: 'bad_usage' })
    })
  }
})
