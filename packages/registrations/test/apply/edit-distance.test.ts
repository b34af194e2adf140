import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { editDistance } from '../../src/apply/find-applications.ts'

describe('editDistance', () => {
  const rows: [one: string, other: string, distance: number][] = [
    ['', '', 0],
    ['job', 'job', 0],
    ['', 'job', 3],
    ['job', 'jobs', 1],
    ['nightly', 'nigthly', 1],
    ['nightly', 'nihtly', 1],
    ['greeting client', 'greting cleint', 2],
    ['kitten', 'sitting', 3],
    ['abc', 'xyz', 3],
  ]
  for (const [one, other, distance] of rows) {
    it(`of “${one}” and “${other}” is ${distance}, in both directions`, () => {
      assert.equal(editDistance(one, other), distance)
      assert.equal(editDistance(other, one), distance)
    })
  }
})
