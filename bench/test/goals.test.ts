import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { contenders } from '../harness/contenders.ts'
import { goals, reach } from '../harness/goals.ts'

describe('the goals', () => {
  for (const { id, to } of goals) {
    it(`compare rows that are measured: ${id} to ${to}`, () => {
      const row = contenders.find((contender) => contender.id === id)
      assert.ok(row?.comparedWith.includes(to))
      assert.ok(contenders.some((contender) => contender.id === to))
    })
  }

  it('are looked up in the results, and missed where a row was not measured', () => {
    const [first, second] = goals
    assert.ok(first && second)
    const result = { id: first.id, requestsPerSecond: 1, p99Ms: 1 }
    const found = reach([
      { ...result, ratioTo: { [first.to]: 0.5 }, ratioWithin: { [first.to]: 0.1 } },
    ])
    assert.equal(found[0]?.found, 0.5)
    assert.equal(found[0]?.within, 0.1)
    assert.equal(found.at(-1)?.found, undefined)
  })
})
