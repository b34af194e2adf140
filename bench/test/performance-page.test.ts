import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { contenders } from '../harness/contenders.ts'
import { usage } from '../harness/options.ts'
import { performancePage, quoted, withResults } from '../harness/performance-page.ts'
import { benchFolder } from '../harness/programs.ts'
import type { Result } from '../harness/result.ts'

const page = await readFile(performancePage, 'utf8')
const latest: Result[] = JSON.parse(
  await readFile(join(benchFolder, 'results', 'latest.json'), 'utf8'),
)

describe('docs/evidence/performance.md', () => {
  it('quotes bench/results/latest.json, and nothing else', () => {
    assert.ok(page.includes(`\n\n${quoted(contenders, latest)}\n\n`))
  })

  it('shows the options as the command explains them', () => {
    assert.ok(page.includes(usage))
  })

  it('keeps its text when a run writes other results', () => {
    const other = [
      { id: 'node-http-open', requestsPerSecond: 1, p99Ms: 987.6, ratioTo: {}, ratioWithin: {} },
    ]
    const rewritten = withResults(page, 'a machine', contenders, other)
    assert.ok(rewritten.includes('Machine: a machine.'))
    assert.ok(rewritten.includes(quoted(contenders, other)))
    assert.ok(!rewritten.includes(quoted(contenders, latest)))
    assert.equal(rewritten.split('\n')[0], page.split('\n')[0])
    assert.equal(rewritten.split('\n').at(-2), page.split('\n').at(-2))
  })

  it('is not written to when it has lost its marks', () => {
    assert.throws(() => withResults('# Performance', '', contenders, latest), /lacks the marks/)
  })
})

describe('the latest results', () => {
  it('know only rows of the comparison, each once', () => {
    const ids = contenders.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(
      latest.filter(({ id }) => !ids.includes(id)),
      [],
    )
  })
})
