import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Contender, Sample } from '../harness/contender.ts'
import {
  median,
  type Outcome,
  outcomeOf,
  proportionsOf,
  reasonToDoubt,
  resultsOf,
  spreadOf,
} from '../harness/result.ts'

const contender = (id: string, comparedWith: readonly string[] = []): Contender => ({
  id,
  title: id,
  group: 'resource server',
  heat: 'theirs',
  needs: [],
  comparedWith,
  tokens: 'few',
  start: () => Promise.reject(new Error('only its figures are judged here')),
})

const sample = (requestsPerSecond: number, more: Partial<Sample> = {}): Sample => ({
  requestsPerSecond,
  p99Ms: 1,
  busy: 1,
  microseconds: 10,
  faults: [],
  ...more,
})

describe('the median', () => {
  const rows: readonly [number[], number][] = [
    [[7], 7],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
  ]
  for (const [values, expected] of rows) {
    it(`of ${values} is ${expected}`, () => assert.equal(median(values), expected))
  }
})

/** Samples of rounds that have numbers for names. */
const rounds = (...samples: Sample[]): Map<string, Sample> =>
  new Map(samples.map((each, nth) => [`${nth}`, each]))

const outcome = (row: Contender, rates: readonly number[], faults: string[] = []): Outcome =>
  outcomeOf(row, { p99s: [1], samples: rounds(...rates.map((rate) => sample(rate))), faults })

describe('the spread', () => {
  const rows: readonly [number[], number][] = [
    [[7], 0],
    [[90, 100, 120], 0.2],
    [[100, 100, 100, 100, 10], 0],
    [[80, 90, 100, 105, 500], 0.1],
  ]
  for (const [values, expected] of rows) {
    it(`of ${values} is ${expected}: what lies outside the middle half does not count`, () => {
      assert.equal(spreadOf(values), expected)
    })
  }
})

describe('the rounds of a row', () => {
  it('come to their medians', () => {
    const row = contender('a')
    const samples = rounds(sample(100), sample(90), sample(120))
    assert.deepEqual(outcomeOf(row, { p99s: [9, 7, 6], samples, faults: [] }), {
      contender: row,
      rates: new Map([
        ['0', 100],
        ['1', 90],
        ['2', 120],
      ]),
      requestsPerSecond: 100,
      p99Ms: 7,
      busy: 1,
      microseconds: 10,
      faults: [],
    })
  })

  it('tell each fault once', () => {
    const { faults } = outcome(contender('a'), [1, 1], ['broken', 'broken', 'bent'])
    assert.deepEqual(faults, ['broken', 'bent'])
  })
})

describe('a proportion', () => {
  it('is taken round by round: a slow second slows neighbours down together', () => {
    const outcomes = [
      outcome(contender('mine', ['theirs']), [300, 150, 330]),
      outcome(contender('theirs'), [100, 50, 100]),
    ]
    assert.deepEqual(proportionsOf(outcomes), [{ id: 'mine', to: 'theirs', ratios: [3, 3, 3.3] }])
  })
})

describe('a proportion of rounds that only one took part in', () => {
  it('is not taken', () => {
    const theirs = outcomeOf(contender('theirs'), {
      p99s: [1],
      samples: new Map([
        ['1', sample(50)],
        ['elsewhere', sample(1)],
      ]),
      faults: [],
    })
    const outcomes = [outcome(contender('mine', ['theirs']), [300, 150]), theirs]
    assert.deepEqual(proportionsOf(outcomes), [{ id: 'mine', to: 'theirs', ratios: [3] }])
  })
})

describe('the results', () => {
  it('set each row in proportion to those that it names', () => {
    const outcomes = [
      outcomeOf(contender('mine', ['theirs', 'absent']), {
        p99s: [1.23456],
        samples: rounds(sample(300.4)),
        faults: [],
      }),
      outcomeOf(contender('theirs'), {
        p99s: [null],
        samples: rounds(sample(200)),
        faults: [],
      }),
    ]
    assert.deepEqual(resultsOf(outcomes), [
      {
        id: 'mine',
        requestsPerSecond: 300,
        p99Ms: 1.23,
        ratioTo: { theirs: 1.502 },
        ratioWithin: { theirs: 0 },
      },
      { id: 'theirs', requestsPerSecond: 200, p99Ms: null, ratioTo: {}, ratioWithin: {} },
    ])
  })

  it('take the median of the rounds, not the proportion of the medians', () => {
    const outcomes = [
      outcome(contender('mine', ['theirs']), [100, 200, 90]),
      outcome(contender('theirs'), [50, 100, 100]),
    ]
    const [mine] = resultsOf(outcomes)
    assert.deepEqual(mine?.ratioTo, { theirs: 2 })
    assert.deepEqual(mine?.ratioWithin, { theirs: 0.55 })
  })

  it('leave out a row that does not count, and every proportion to it', () => {
    const outcomes = [
      outcome(contender('mine', ['theirs']), [300]),
      outcome(contender('theirs'), [200], ['let a stranger in']),
    ]
    assert.deepEqual(resultsOf(outcomes), [
      { id: 'mine', requestsPerSecond: 300, p99Ms: 1, ratioTo: {}, ratioWithin: {} },
    ])
  })
})

describe('a run', () => {
  const quiet = { id: 'quiet', to: 'other', ratios: [1, 0.95, 1.05] }
  const noisy = { id: 'noisy', to: 'other', ratios: [1, 0.4, 1.6] }

  it('is kept when a typical proportion settled', () => {
    assert.equal(reasonToDoubt([quiet, quiet, noisy], 3), undefined)
  })

  it('is not kept when a typical proportion did not', () => {
    assert.match(reasonToDoubt([quiet, noisy, noisy], 3) ?? '', /busy: .* 60 % from their median/)
  })

  it('is not kept when there were too few rounds to tell', () => {
    assert.match(reasonToDoubt([quiet], 2) ?? '', /needs 3 rounds/)
  })
})
