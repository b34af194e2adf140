import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GrowthCase } from '../../growth/growth-case.ts'
import { readGrowthOptions } from '../../growth/growth-options.ts'
import { selectedCases } from '../../growth/run-growth.ts'

const growthCase = (id: string, rest: Partial<GrowthCase> = {}): GrowthCase => ({
  ...{ id, title: id, goals: [], usesStore: true },
  run: () => Promise.reject(new TypeError('not expected')),
  ...rest,
})
const cases = [
  growthCase('start'),
  growthCase('client', { usesStore: false }),
  growthCase('soak', { isOnRequest: true }),
]

describe('the cases of a run', () => {
  const rows: readonly [string, string[], string[]][] = [
    ['are all but those on request', [], ['start', 'client']],
    ['are those that begin so, also on request', ['--only=s'], ['start', 'soak']],
    ['are all in a tiny run, which checks that they work', ['--tiny'], ['start', 'client', 'soak']],
    ['are those that use the store on PostgreSQL', ['--store=postgresql'], ['start']],
  ]
  for (const [name, argv, expected] of rows) {
    it(name, () => {
      const ids = cases.map(({ id }) => id)
      const { options, problems } = readGrowthOptions(argv, ids)
      assert.deepEqual(problems, [])
      assert.deepEqual(
        selectedCases(options, cases).map(({ id }) => id),
        expected,
      )
    })
  }
})
