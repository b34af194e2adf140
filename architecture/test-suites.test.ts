import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { read, sources } from './source-tree.ts'
import { filesOf, slowFiles } from './test-suites.ts'

describe('the unit suite', () => {
  for (const file of filesOf('unit')) {
    it(`${file} has no hook for each test outside a describe block`, () => {
      // Many files share a process: such a hook would run before every test of all of them.
      assert.doesNotMatch(read(file), /^(beforeEach|afterEach)\(/m)
    })
  }

  it('leaves out only slow files that exist', () => {
    assert.deepEqual(
      slowFiles.filter(({ file }) => !sources.includes(file)),
      [],
    )
  })
})
