import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { apiPageFault, readApiPage } from '../build/api-page.ts'
import { packageReports, pages } from '../build/package-reports.ts'
import { undocumentedExports } from '../build/undocumented-exports.ts'
import { read, resolveOurs, root, sources } from './source-tree.ts'

describe('the interface of a package', () => {
  for (const { page, report } of packageReports(root)) {
    it(`matches ${page}, and its last change is in the changelog`, () => {
      assert.equal(apiPageFault(readApiPage(read(page)), report, read('CHANGELOG.md')), undefined)
    })
  }

  for (const folder of Object.values(pages)) {
    it(`in ${folder} has a comment for each name, and an example for each function`, () => {
      const { './main': _, ...exports } = JSON.parse(read(`${folder}/package.json`)).exports ?? {}
      const texts = new Map(sources.map((file) => [file, read(file)]))
      const resolve = (file: string, specifier: string) => resolveOurs(file, specifier) ?? ''
      assert.deepEqual(undocumentedExports(exports, folder, texts, resolve), [])
    })
  }
})
