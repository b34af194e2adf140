import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ProgressReport } from '../../src/registrations/progress-report.ts'

/** A report with a virtual clock. */
function reportWith(options: { json?: boolean; quiet?: boolean; isTerminal?: boolean }) {
  const { isTerminal = false, ...rest } = options
  const fixture = { nowMs: 0, err: '', drawn: [] as string[] }
  const terminal = {
    err: (text: string) => {
      fixture.err += text
    },
    ...(isTerminal && { redraw: (line: string) => void fixture.drawn.push(line) }),
  }
  const report = new ProgressReport(terminal, { ...rest, monotonicMs: () => fixture.nowMs })
  return { fixture, report }
}

/** Reports a change each 10 ms for 20 s. */
function longRun({ fixture, report }: ReturnType<typeof reportWith>): void {
  report.update('apply_changes', 0, 2_000)
  for (let done = 1; done <= 2_000; done += 1) {
    fixture.nowMs += 10
    report.update('apply_changes', done, 2_000)
  }
}

describe('progress output', () => {
  it('is redrawn at most 10 times a second on a terminal, and removed at the end', () => {
    const run = reportWith({ isTerminal: true })
    longRun(run)
    run.report.end()
    const { drawn, err } = run.fixture
    assert.equal(err, '')
    assert.equal(drawn.length, 202)
    assert.equal(drawn[1], 'Applying changes: 10 of 2000 (0 %), 100 per second, 20 s left')
    assert.deepEqual(drawn.slice(-2), [
      'Applying changes: 2000 of 2000 (100 %), 100 per second, 0 s left',
      '',
    ])
  })

  it('is one line every 5 seconds without a terminal', () => {
    const run = reportWith({})
    longRun(run)
    assert.deepEqual(run.fixture.err.split('\n'), [
      'Applying changes: 500 of 2000 (25 %), 100 per second, 15 s left',
      'Applying changes: 1000 of 2000 (50 %), 100 per second, 10 s left',
      'Applying changes: 1500 of 2000 (75 %), 100 per second, 5 s left',
      'Applying changes: 2000 of 2000 (100 %), 100 per second, 0 s left',
      '',
    ])
  })

  it('is one event per second with --json, including the first and last event of each activity', () => {
    const run = reportWith({ json: true, isTerminal: true })
    longRun(run)
    const events = run.fixture.err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(run.fixture.drawn, [])
    assert.equal(events.length, 21)
    assert.deepEqual(events[0], {
      event: 'progress',
      activity: 'apply_changes',
      done: 0,
      total: 2_000,
      per_second: 0,
      seconds_left: null,
    })
    assert.deepEqual(events[1], {
      event: 'progress',
      activity: 'apply_changes',
      done: 100,
      total: 2_000,
      per_second: 100,
      seconds_left: 19,
    })
    assert.equal(events.at(-1).done, 2_000)
  })

  it('shows no total while a list is read', () => {
    const run = reportWith({ isTerminal: true })
    run.report.update('read_applications', 0, undefined)
    run.fixture.nowMs += 2_000
    run.report.update('read_applications', 999, undefined)
    assert.equal(run.fixture.drawn[1], 'Reading applications: 999, 500 per second')
  })

  it('shows a separate rate for each activity', () => {
    const run = reportWith({ isTerminal: true })
    run.report.update('read_applications', 0, 10)
    run.fixture.nowMs += 10_000
    run.report.update('apply_changes', 0, 10)
    run.fixture.nowMs += 1_000
    run.report.update('apply_changes', 5, 10)
    assert.equal(
      run.fixture.drawn.at(-1),
      'Applying changes: 5 of 10 (50 %), 5 per second, 1 s left',
    )
  })

  it('is not printed with --quiet', () => {
    for (const options of [{}, { json: true }, { isTerminal: true }]) {
      const run = reportWith({ ...options, quiet: true })
      run.report.begin('registrations.json', 1_000)
      longRun(run)
      run.report.wait('throttled', 7_000)
      assert.equal(run.fixture.err, '')
      assert.deepEqual(run.fixture.drawn.filter(Boolean), [])
    }
  })
})

describe('the number of registrations', () => {
  const line = 'registrations of file.json with the directory.\n'
  const rows: [string, Parameters<typeof reportWith>[0], number, string][] = [
    ['on a terminal', { isTerminal: true }, 2, `Comparing 2 ${line}`],
    ['without a terminal, if there are many', {}, 100, `Comparing 100 ${line}`],
    ['not without a terminal, if there are few', {}, 99, ''],
    [
      'as an event with --json',
      { json: true },
      2,
      '{"event":"plan_started","file":"file.json","registrations":2}\n',
    ],
  ]
  for (const [title, options, registrations, expected] of rows) {
    it(`is reported first: ${title}`, () => {
      const { fixture, report } = reportWith(options)
      report.begin('file.json', registrations)
      assert.equal(fixture.err, expected)
    })
  }
})

describe('a wait for the directory', () => {
  it('is reported as a line, and as an event with --json', () => {
    const plain = reportWith({})
    plain.report.wait('throttled', 7_000)
    assert.equal(plain.fixture.err, 'The directory: throttled. Next attempt in 7.0 s.\n')
    const json = reportWith({ json: true })
    json.report.wait('throttled', 7_000)
    assert.equal(json.fixture.err, '{"event":"waiting","reason":"throttled","seconds":7}\n')
  })

  it('is reported once for simultaneous requests that wait for the same reason', () => {
    const { fixture, report } = reportWith({})
    for (const [nowMs, reason, durationMs] of [
      [0, 'unreachable', 200],
      [1, 'unreachable', 200],
      [2, 'throttled', 7_000],
      [3, 'throttled', 6_000],
      [300, 'unreachable', 300],
      [310, 'unreachable', 300],
    ] as const) {
      fixture.nowMs = nowMs
      report.wait(reason, durationMs)
    }
    assert.deepEqual(fixture.err.trimEnd().split('\n'), [
      'The directory: unreachable. Next attempt in 0.2 s.',
      'The directory: throttled. Next attempt in 7.0 s.',
      'The directory: unreachable. Next attempt in 0.3 s.',
    ])
  })
})
