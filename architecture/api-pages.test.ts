import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiPageFault, readApiPage } from '../build/api-page.ts'
import { packageReports } from '../build/package-reports.ts'
import { read, root } from './source-tree.ts'

describe('the interface of a package', () => {
  for (const { page, report } of packageReports(root)) {
    it(`is that of ${page}, and its last change is in the changelog`, () => {
      assert.equal(apiPageFault(readApiPage(read(page)), report, read('CHANGELOG.md')), undefined)
    })
  }
})
