import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { cases } from '../../growth/cases/cases.ts'
import { judged } from '../../growth/figure.ts'
import {
  type CaseResult,
  caseText,
  mergedCases,
  missedLine,
  missedOf,
  resultsText,
  withGrowthResults,
} from '../../growth/growth-report.ts'
import { growthPage, growthResultsFile } from '../../growth/run-growth.ts'

const resultOf = (id: string, value: number): CaseResult => ({
  ...{ id, title: `the case ${id}`, date: '2026-11-22', loadAverage: 1.25 },
  stolenShare: 0.0123,
  figures: judged(
    id,
    [
      { what: 'list', size: 1000, value: 1, unit: 'ms' },
      { what: 'list', size: 100_000, value, unit: 'ms' },
    ],
    [{ what: 'list', ratioAtMost: 1.5 }],
  ),
  latencies: [
    {
      ...{ size: 1000, beside: 'lists', count: 250, failures: 0 },
      ...{ p50Ms: 1, p90Ms: 2, p99Ms: 3, maxMs: 4 },
    },
  ],
})

it('a case has a row for each value, with a column for each size, and a row for each latency', () => {
  assert.equal(
    caseText(resultOf('graph', 2)),
    [
      '**graph**: the case graph. 2026-11-22, load average 1.3, stolen 1.2 %.',
      '',
      '|      |  1,000 | 100,000 | ratio |              goal | result |',
      '| ---- | -----: | ------: | ----: | ----------------: | -----: |',
      '| list | 1.0 ms |  2.0 ms |  2.00 | ratio at most 1.5 | missed |',
      '',
      '| tokens beside |  size | requests | p50 ms | p90 ms | p99 ms | max ms |',
      '| ------------- | ----: | -------: | -----: | -----: | -----: | -----: |',
      '| lists         | 1,000 |      250 |    1.0 |    2.0 |    3.0 |    4.0 |',
    ].join('\n'),
  )
})

it('a missed goal is one line with the value, the ratio and the goal', () => {
  assert.deepEqual(missedOf([resultOf('graph', 1.5), resultOf('audit', 2)]).map(missedLine), [
    'missed: audit, list at 100,000: 2.0 ms, ratio 2.00 (ratio at most 1.5)',
  ])
})

it('a run of some cases replaces their results and keeps the others', () => {
  const [start, graph, latest] = [resultOf('start', 1), resultOf('graph', 1), resultOf('graph', 2)]
  assert.deepEqual(mergedCases([graph, start], [latest], ['start', 'graph', 'audit']), [
    start,
    latest,
  ])
})

describe('docs/evidence/growth.md', async () => {
  const page = await readFile(growthPage, 'utf8')

  for (const store of ['sqlite', 'postgresql']) {
    const file = growthResultsFile(store)
    it(`quotes the results of ${store}, if there are any`, async () => {
      if (!existsSync(file)) return
      const results = JSON.parse(await readFile(file, 'utf8'))
      assert.ok(page.includes(`\n\n${resultsText(results)}\n\n`))
      assert.equal(withGrowthResults(page, results), page)
    })
  }

  it('keeps its text when a run writes other results', () => {
    const results = { store: 'sqlite', machine: 'a machine', cases: [resultOf('graph', 2)] }
    const rewritten = withGrowthResults(page, results)
    assert.ok(rewritten.includes(resultsText(results)))
    assert.equal(rewritten.split('\n')[0], page.split('\n')[0])
    assert.equal(rewritten.split('## PostgreSQL')[1], page.split('## PostgreSQL')[1])
  })

  it('is not rewritten when it lacks the markers', () => {
    const results = { store: 'sqlite', machine: 'a machine', cases: [] }
    assert.throws(() => withGrowthResults('# Growth', results), /lacks the markers of sqlite/)
  })
})

describe('the cases', () => {
  it('have different names', () => {
    assert.equal(new Set(cases.map(({ id }) => id)).size, cases.length)
  })

  for (const { id, goals } of cases) {
    it(`have goals that say something: ${id}`, () => {
      for (const goal of goals) {
        const { atMost, atLeast, ratioAtMost, ratioAtLeast } = goal
        assert.ok([atMost, atLeast, ratioAtMost, ratioAtLeast].some((limit) => limit !== undefined))
      }
    })
  }
})
