import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type LoopOptions, loopJob, type Run } from '../../src/schedule/job-loop.ts'
import { byCron, everyMs, type Schedule } from '../../src/schedule/schedule.ts'

const noonMs = Date.UTC(2026, 0, 1, 12)

/** A job in a world where time passes only by sleeping and by the job's own duration. */
class LoopWorld {
  nowMs = noonMs
  luck = 0
  readonly stop = new AbortController()
  readonly runs: Run<number>[] = []

  /** Runs the loop until `most` runs are told; `durations` are those of the runs, in turn. */
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
        random: () => this.luck,
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

  it('runs at once, and then in equal steps', async () => {
    const world = new LoopWorld()
    await world.loop(everyMinute, 3)
    assert.deepEqual(world.startsSeconds, [0, 60, 120])
  })

  it('is moved by chance, which does not add up', async () => {
    const world = new LoopWorld()
    world.luck = 0.5
    await world.loop(everyMinute, 3)
    assert.deepEqual(world.startsSeconds, [0, 63, 123])
    const other = new LoopWorld()
    other.luck = 0.5
    await other.loop(everyMinute, 3, { jitterMs: 20_000 })
    assert.deepEqual(other.startsSeconds, [0, 70, 130])
  })

  it('never runs twice at once: moments that pass meanwhile are skipped, and counted', async () => {
    const world = new LoopWorld()
    const perform = async () => {
      world.nowMs += 150_000
      return 1
    }
    await world.loop(everyMinute, 3, { perform })
    assert.deepEqual(world.startsSeconds, [0, 180, 360])
    assert.deepEqual(
      world.runs.map(({ skipped, durationMs }) => [skipped, durationMs]),
      [
        [0, 150_000],
        [2, 150_000],
        [2, 150_000],
      ],
    )
  })

  it('goes on after failures', async () => {
    const world = new LoopWorld()
    assert.equal(await world.loop(everyMinute, 5, { perform: fails }), undefined)
    assert.equal(world.runs.length, 5)
  })

  it('ends with the error of the last when too many fail in a row', async () => {
    const world = new LoopWorld()
    const error = await world.loop(everyMinute, 99, { perform: fails, failAfter: 3 })
    assert.match(String(error), /no/)
    assert.equal(world.runs.length, 3)
  })

  it('counts anew after a success', async () => {
    const world = new LoopWorld()
    let run = 0
    const perform = async () => {
      run += 1
      return run % 3 === 0 ? 1 : fails()
    }
    assert.equal(await world.loop(everyMinute, 9, { perform, failAfter: 3 }), undefined)
    assert.equal(world.runs.length, 9)
  })

  it('finishes the run in hand when it is stopped, and begins no other', async () => {
    const world = new LoopWorld()
    const perform = async () => {
      world.stop.abort()
      return 1
    }
    await world.loop(everyMinute, 99, { perform })
    assert.equal(world.runs.length, 1)
  })

  it('stops while it waits', async () => {
    const world = new LoopWorld()
    await world.loop(everyMinute, 99, { onNext: () => world.stop.abort() })
    assert.equal(world.runs.length, 1)
  })
})

describe('a job that runs by cron', () => {
  it('waits for the first moment', async () => {
    const world = new LoopWorld()
    await world.loop(byCron('*/5 * * * *', 'UTC'), 3)
    assert.deepEqual(world.startsSeconds, [300, 600, 900])
  })

  it('is meant in its time zone, daylight saving included', async () => {
    const schedule = byCron('30 2 * * *', 'Europe/Zurich')
    const winter = schedule.nextAfter(Date.UTC(2026, 0, 1, 12))
    const summer = schedule.nextAfter(Date.UTC(2026, 6, 1, 12))
    assert.equal(winter, Date.UTC(2026, 0, 2, 1, 30))
    assert.equal(summer, Date.UTC(2026, 6, 2, 0, 30))
  })

  it('ends when there is no further moment', async () => {
    const world = new LoopWorld()
    await world.loop(byCron('0 0 13 1 1 * 2026', 'UTC'), 99)
    assert.deepEqual(world.startsSeconds, [3600])
  })

  for (const [expression, zone] of [
    ['', undefined],
    ['every day', undefined],
    ['61 * * * *', undefined],
    ['* * * * *', 'Mars/Olympus'],
  ] as const) {
    it(`is refused when it cannot be read: ${JSON.stringify(expression)} ${zone ?? ''}`, () => {
      assert.throws(() => byCron(expression, zone), { exit: 'bad_usage' })
    })
  }
})
