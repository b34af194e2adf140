import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { read, sources } from './source-tree.ts'
import { filesOf, jobsOf, longestFirst, type Suite, slowFiles } from './test-suites.ts'

const suites: readonly Suite[] = ['unit', 'system']

describe('the jobs', () => {
  for (const suite of suites)
    it(`of the ${suite} suite contain each of its files once`, () => {
      const files = jobsOf([suite]).flatMap((job) => job.files)
      assert.deepEqual(files.toSorted(), filesOf(suite).toSorted())
    })

  const together = jobsOf(suites).filter(({ files }) => files.length > 1)
  for (const file of together.flatMap(({ files }) => files)) {
    it(`${file} has no hook for each test outside a describe block`, () => {
      // Many files share a process: such a hook would run before every test of all of them.
      assert.doesNotMatch(read(file), /^(beforeEach|afterEach)\(/m)
    })
  }

  it('start with the files of the longest jobs, all of which exist', () => {
    const first = jobsOf(suites).slice(0, longestFirst.length)
    for (const [index, file] of longestFirst.entries())
      assert.ok(first[index]?.files.includes(file), file)
  })

  it('leave out of the unit suite only slow files that exist', () => {
    assert.deepEqual(
      slowFiles.filter(({ file }) => !sources.includes(file)),
      [],
    )
  })
})
