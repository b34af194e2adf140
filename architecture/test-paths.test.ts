import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { describe, it } from 'node:test'
import { importsOf, read, resolveOurs, sources } from './source-tree.ts'
import { coveredElsewhere, otherTestFolders } from './test-paths.ts'
import { testFiles } from './test-suites.ts'

const maxLinesWithoutTest = 40
const room = /^(packages\/[^/]+|services\/[^/]+|cli)\//

const roomSources = sources.filter((file) => /\/src\//.test(file) && room.test(file))
const roomTests = testFiles.filter((file) => /\/test\//.test(file) && room.test(file))
const testOf = (source: string) => source.replace('/src/', '/test/').replace(/\.ts$/, '.test.ts')

const exportsValue = (file: string) =>
  /^export (async )?(function|const|class)|^await /m.test(read(file))

/** Source files that are long enough for a test of their own, and have no test at that path. */
const withoutTest = roomSources.filter(
  (file) =>
    read(file).split('\n').length - 1 > maxLinesWithoutTest &&
    exportsValue(file) &&
    !testFiles.includes(testOf(file)),
)

const allPaths = coveredElsewhere.flatMap(({ paths }) => paths)

/** A row of a folder does not cover the files that have a row of their own. */
const covers = (path: string, file: string) =>
  path.endsWith('/') ? file.startsWith(path) && !allPaths.includes(file) : file === path

/** The file of a thread, which `new Worker` gets as a URL; the extension may be computed. */
const threadFile = /new URL\(['`](\.[^'`$]+)(?:\.ts|\$\{[^}]*\})['`], import\.meta\.url\)/g

/** All files that a file imports or runs as a thread, directly or not. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  const threads = [...read(file).matchAll(threadFile)].map(([, path = '']) => `${path}.ts`)
  for (const specifier of [...importsOf(file), ...threads]) {
    const target = resolveOurs(file, specifier)
    const found = target !== undefined && (sources.includes(target) ? target : `${target}/index.ts`)
    if (!found || reached.has(found) || !sources.includes(found)) continue
    reached.add(found)
    reachedFrom(found, reached)
  }
  return reached
}

describe('the test of a source file', () => {
  it(`is at the mirrored path, or in architecture/test-paths.ts, above ${maxLinesWithoutTest} lines`, () => {
    assert.deepEqual(
      withoutTest.filter((file) => !allPaths.some((path) => covers(path, file))),
      [],
    )
  })

  for (const { paths, test, startsProcess } of coveredElsewhere) {
    it(`${test} runs ${paths.join(', ')}`, () => {
      assert.ok(testFiles.includes(test), `${test} does not exist`)
      const reached = reachedFrom(test)
      for (const path of paths) {
        const files = withoutTest.filter((file) => covers(path, file))
        assert.notDeepEqual(files, [], `no file of ${path} needs this row`)
        if (!startsProcess)
          assert.deepEqual(
            files.filter((file) => !reached.has(file)),
            [],
            `${test} does not import these`,
          )
      }
    })
  }
})

describe('a test file', () => {
  const folders = new Set(roomSources.map(dirname))
  const withoutFolder = roomTests
    .map(dirname)
    .filter((folder) => !folders.has(folder.replace(/\/test(?=\/|$)/, '/src')))

  it('is in the folder that mirrors a source folder, or in architecture/test-paths.ts', () => {
    const listed = otherTestFolders.map(({ folder }) => folder)
    assert.deepEqual([...new Set(withoutFolder)].toSorted(), listed.toSorted())
  })
})
