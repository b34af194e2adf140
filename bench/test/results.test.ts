import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RunState } from '../harness/interleave.ts'
import type { Sample } from '../harness/load.ts'
import { comparisonsOf, median, reasonToDiscard, resultsOf, spreadOf } from '../harness/results.ts'
import type { Row } from '../harness/row.ts'

const row = (id: string, comparedWith: readonly string[] = []): Row => ({
  ...{ id, title: id, table: 'resource server', group: 'group', needs: [], comparedWith },
  ...{ tokens: 'few', serverCores: 1 },
  start: () => Promise.reject(new Error('this test starts no server')),
})

const sample = (requestsPerSecond: number, p99Ms: number | null = 1): Sample => ({
  ...{ requestsPerSecond, p99Ms, failures: [] },
})

/** A row after one round for each sample. Rounds have numbers as names. */
const measured = (row: Row, samples: readonly Sample[], failures: string[] = []): RunState => ({
  row,
  samples: new Map(samples.map((each, index) => [`${index}`, each])),
  failures: new Set(failures),
})
const rates = (row: Row, figures: readonly number[]): RunState =>
  measured(
    row,
    figures.map((figure) => sample(figure)),
  )

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

describe('the spread', () => {
  const rows: readonly [number[], number][] = [
    [[7], 0],
    [[90, 100, 120], 0.2],
    [[100, 100, 100, 100, 10], 0],
    [[80, 90, 100, 105, 500], 0.1],
  ]
  for (const [values, expected] of rows) {
    it(`of ${values} is ${expected}, without values outside the middle half`, () => {
      assert.equal(spreadOf(values), expected)
    })
  }
})

describe('a comparison', () => {
  it('divides round by round, because a slow second slows both rows', () => {
    const states = [
      rates(row('mine', ['theirs']), [300, 150, 330]),
      rates(row('theirs'), [100, 50, 100]),
    ]
    assert.deepEqual(comparisonsOf(states), [{ id: 'mine', to: 'theirs', ratios: [3, 3, 3.3] }])
  })

  it('ignores rounds with only one of the rows', () => {
    const theirs = new Map([
      ['1', sample(50)],
      ['elsewhere', sample(1)],
    ])
    const states = [
      rates(row('mine', ['theirs']), [300, 150]),
      { row: row('theirs'), samples: theirs, failures: new Set<string>() },
    ]
    assert.deepEqual(comparisonsOf(states), [{ id: 'mine', to: 'theirs', ratios: [3] }])
  })
})

describe('the results', () => {
  it('have the medians of a row, and its ratio to each measured row of its comparison', () => {
    const mine = [sample(300.4, 1.23456), sample(300.4, 9), sample(300.4, 0.5)]
    const theirs = [sample(200, null), sample(200, null), sample(200, null)]
    assert.deepEqual(
      resultsOf([
        measured(row('mine', ['theirs', 'absent']), mine),
        measured(row('theirs'), theirs),
      ]),
      [
        {
          ...{ id: 'mine', requestsPerSecond: 300, p99Ms: 1.23 },
          ...{ ratioTo: { theirs: 1.502 }, ratioWithin: { theirs: 0 } },
        },
        { id: 'theirs', requestsPerSecond: 200, p99Ms: null, ratioTo: {}, ratioWithin: {} },
      ],
    )
  })

  it('have the median of the ratios, not the ratio of the medians', () => {
    const [mine] = resultsOf([
      rates(row('mine', ['theirs']), [100, 200, 90]),
      rates(row('theirs'), [50, 100, 100]),
    ])
    assert.deepEqual(mine?.ratioTo, { theirs: 2 })
    assert.deepEqual(mine?.ratioWithin, { theirs: 0.55 })
  })

  it('omit a row that does not count, and every ratio to it', () => {
    const states = [
      rates(row('mine', ['theirs']), [300]),
      measured(row('theirs'), [sample(200)], ['accepted an unknown key']),
    ]
    assert.deepEqual(resultsOf(states), [
      { id: 'mine', requestsPerSecond: 300, p99Ms: 1, ratioTo: {}, ratioWithin: {} },
    ])
  })
})

describe('a run', () => {
  const quiet = { id: 'quiet', to: 'other', ratios: [1, 0.95, 1.05] }
  const noisy = { id: 'noisy', to: 'other', ratios: [1, 0.4, 1.6] }

  it('is kept when a typical ratio is steady', () => {
    assert.equal(reasonToDiscard([quiet, quiet, noisy], 3), undefined)
  })

  it('is not kept when a typical ratio is not steady', () => {
    assert.match(reasonToDiscard([quiet, noisy, noisy], 3) ?? '', /busy: .* 60 % from their median/)
  })

  it('is not kept with too few rounds', () => {
    assert.match(reasonToDiscard([quiet], 2) ?? '', /needs 3 rounds/)
  })
})
