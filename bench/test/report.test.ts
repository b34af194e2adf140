import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { benchFolder } from '../harness/programs.ts'
import {
  failureLines,
  goals,
  goalTable,
  markdownTable,
  performancePage,
  quoted,
  withResults,
} from '../harness/report.ts'
import type { Result } from '../harness/results.ts'
import { rows } from '../rows/rows.ts'

const page = await readFile(performancePage, 'utf8')
const latest: Result[] = JSON.parse(
  await readFile(join(benchFolder, 'results', 'latest.json'), 'utf8'),
)

describe('docs/evidence/performance.md', () => {
  it('quotes bench/results/latest.json exactly', () => {
    assert.ok(page.includes(`\n\n${quoted(rows, latest)}\n\n`))
  })

  it('has at most 100 lines', () => {
    assert.ok(page.split('\n').length - 1 <= 100)
  })

  it('keeps its text when a run writes other results', () => {
    const other = [
      { id: 'node-http-open', requestsPerSecond: 1, p99Ms: 987.6, ratioTo: {}, ratioWithin: {} },
    ]
    const rewritten = withResults(page, 'a machine', rows, other)
    assert.ok(rewritten.includes('Machine: a machine.'))
    assert.ok(rewritten.includes(quoted(rows, other)))
    assert.ok(!rewritten.includes(quoted(rows, latest)))
    assert.equal(rewritten.split('\n')[0], page.split('\n')[0])
    assert.equal(rewritten.split('\n').at(-2), page.split('\n').at(-2))
  })

  it('is not rewritten when it lacks the markers', () => {
    assert.throws(() => withResults('# Performance', '', rows, latest), /lacks the markers/)
  })
})

describe('the goals', () => {
  for (const { id, to } of goals) {
    it(`compare rows that are measured: ${id} to ${to}`, () => {
      const row = rows.find((candidate) => candidate.id === id)
      assert.ok(row?.comparedWith.includes(to))
      assert.ok(rows.some((candidate) => candidate.id === to))
    })
  }

  it('are reached, missed or not measured', () => {
    const result = (id: string, to: string, ratio: number): Result => ({
      ...{
        id,
        requestsPerSecond: 1,
        p99Ms: 1,
        ratioTo: { [to]: ratio },
        ratioWithin: { [to]: 0.1 },
      },
    })
    const lines = goalTable(rows, [
      result('greeting-node-new', 'haproxy-jwt-verify-new', 0.8),
      result('greeting-bun-new', 'haproxy-jwt-verify-new', 0.99),
    ]).split('\n')
    assert.ok(lines.some((line) => /0\.80 \| +0\.80 \| +± 10 % \| reached/.test(line)))
    assert.ok(lines.some((line) => /1\.00 \| +0\.99 \| +± 10 % \| +missed/.test(line)))
    assert.equal(lines.filter((line) => line.includes('not measured')).length, goals.length - 2)
  })
})

it('a table has aligned columns, with names to the left and figures to the right', () => {
  assert.equal(
    markdownTable(
      ['server', 'requests/s', ''],
      [
        ['ours', '1,000', 'x'],
        ['bare `node:http`', '900'],
      ],
    ),
    [
      '| server           | requests/s |     |',
      '| ---------------- | ---------: | --: |',
      '| ours             |      1,000 |   x |',
      '| bare `node:http` |        900 |     |',
    ].join('\n'),
  )
})

it('a row that does not count is printed with its reasons', () => {
  const [row] = rows
  assert.ok(row)
  const failures = new Set(['no token got 200', 'it is gone'])
  assert.deepEqual(failureLines([{ row, samples: new Map(), failures }]), [
    `${row.id} does not count: no token got 200`,
    `${row.id} does not count: it is gone`,
  ])
})

it('the latest results have only rows of the comparison, each once', () => {
  const ids = rows.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(
    latest.filter(({ id }) => !ids.includes(id)),
    [],
  )
})
