import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { read, sources } from './source-tree.ts'
import { filesOf, jobsOf, type Suite, slowFiles } from './test-suites.ts'

const suites: readonly Suite[] = ['unit', 'system']

describe('the jobs', () => {
  for (const suite of suites)
    it(`of the ${suite} suite contain each of its files once`, () => {
      assert.deepEqual(jobsOf(suite, 2).flat().toSorted(), filesOf(suite).toSorted())
    })

  const together = suites.flatMap((suite) => jobsOf(suite, 2)).filter((job) => job.length > 1)
  for (const file of together.flat()) {
    it(`${file} has no hook for each test outside a describe block`, () => {
      // Many files share a process: such a hook would run before every test of all of them.
      assert.doesNotMatch(read(file), /^(beforeEach|afterEach)\(/m)
    })
  }

  it('leave out of the unit suite only slow files that exist', () => {
    assert.deepEqual(
      slowFiles.filter(({ file }) => !sources.includes(file)),
      [],
    )
  })
})
