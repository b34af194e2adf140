import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Contender, Sample } from '../harness/contender.ts'
import { median, outcomeOf, reasonToDoubt, resultsOf } from '../harness/result.ts'

const contender = (id: string, comparedWith: readonly string[] = []): Contender => ({
  id,
  title: id,
  group: 'resource server',
  needs: [],
  comparedWith,
  tokens: 'few',
  measure: () => Promise.reject(new Error('only its figures are judged here')),
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

describe('the rounds of a row', () => {
  it('come to their medians, and tell how far apart they were', () => {
    const row = contender('a')
    assert.deepEqual(outcomeOf(row, [sample(100), sample(90, { p99Ms: 5 }), sample(120)]), {
      contender: row,
      requestsPerSecond: 100,
      p99Ms: 1,
      busy: 1,
      microseconds: 10,
      spread: 0.15,
      faults: [],
    })
  })

  it('do not count when one of them was faulty', () => {
    const { faults } = outcomeOf(contender('a'), [sample(1), sample(1, { faults: ['broken'] })])
    assert.deepEqual(faults, ['broken'])
  })
})

describe('the results', () => {
  it('set each row in proportion to those that it names', () => {
    const outcomes = [
      outcomeOf(contender('mine', ['theirs', 'absent']), [sample(300.4, { p99Ms: 1.23456 })]),
      outcomeOf(contender('theirs'), [sample(200, { p99Ms: null })]),
    ]
    assert.deepEqual(resultsOf(outcomes), [
      { id: 'mine', requestsPerSecond: 300, p99Ms: 1.23, ratioTo: { theirs: 1.502 } },
      { id: 'theirs', requestsPerSecond: 200, p99Ms: null, ratioTo: {} },
    ])
  })

  it('leave out a row that does not count, and every proportion to it', () => {
    const outcomes = [
      outcomeOf(contender('mine', ['theirs']), [sample(300)]),
      outcomeOf(contender('theirs'), [sample(200, { faults: ['let a stranger in'] })]),
    ]
    assert.deepEqual(resultsOf(outcomes), [
      { id: 'mine', requestsPerSecond: 300, p99Ms: 1, ratioTo: {} },
    ])
  })
})

describe('a run', () => {
  const quiet = outcomeOf(contender('quiet'), [sample(100), sample(95), sample(105)])
  const noisy = outcomeOf(contender('noisy'), [sample(100), sample(40), sample(160)])

  it('is kept when a typical row settled', () => {
    assert.equal(reasonToDoubt([quiet, quiet, noisy], 3), undefined)
  })

  it('is not kept when a typical row did not', () => {
    assert.match(reasonToDoubt([quiet, noisy, noisy], 3) ?? '', /busy: .* 60 % from their median/)
  })

  it('is not kept when there were too few rounds to tell', () => {
    assert.match(reasonToDoubt([quiet], 2) ?? '', /needs 3 rounds/)
  })
})
