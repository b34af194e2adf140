import assert from 'node:assert/strict'
import { dirname, relative } from 'node:path'
import { describe, it } from 'node:test'
import { rooms } from './arrows.ts'
import { importsOf, read, resolveOurs, sources } from './source-tree.ts'

/** Source folders whose parts still import each other in a circle, and the reason. */
const unordered: Readonly<Record<string, string>> = {
  'packages/guard/src': 'Events of keys have the errors of keys.',
}

const products = sources.filter((file) => /\/src\//.test(file))

/** Every source folder that contains folders. */
const parents = [...new Set(products.map(dirname))].flatMap((folder) => {
  const above = folder.slice(0, folder.lastIndexOf('/'))
  return /\/src(\/|$)/.test(above) ? [above] : []
})

/** The folder or the loose file directly below a folder that contains a file; undefined elsewhere. */
const partOf = (parent: string, file: string) =>
  file.startsWith(`${parent}/`) ? relative(parent, file).split('/')[0] : undefined

/** A circle of the parts of a folder, as their names; empty when their imports have an order. */
function circleIn(parent: string): readonly string[] {
  const imports = new Map<string, Set<string>>()
  for (const file of products) {
    const home = partOf(parent, file)
    if (home === undefined) continue
    for (const specifier of importsOf(file)) {
      const target = partOf(parent, resolveOurs(file, specifier) ?? '')
      if (target === undefined || target === home) continue
      imports.set(home, (imports.get(home) ?? new Set()).add(target))
    }
  }
  const finished = new Set<string>()
  const visit = (part: string, path: readonly string[]): readonly string[] => {
    if (path.includes(part)) return [...path.slice(path.indexOf(part)), part]
    if (finished.has(part)) return []
    for (const target of imports.get(part) ?? []) {
      const circle = visit(target, [...path, part])
      if (circle.length > 0) return circle
    }
    finished.add(part)
    return []
  }
  return [...imports.keys()].map((part) => visit(part, [])).find(({ length }) => length > 0) ?? []
}

describe('the contents of a source folder', () => {
  for (const parent of [...new Set(parents)].sort()) {
    const isUnordered = parent in unordered
    it(`${isUnordered ? 'have no order yet' : 'import only downward'}: ${parent}`, () => {
      const circle = circleIn(parent)
      if (isUnordered) assert.notDeepEqual(circle, [], `remove ${parent} from the list`)
      else assert.deepEqual(circle, [])
    })
  }
})

const folders = [...new Set(products.filter((file) => file.endsWith('.ts')).map(dirname))].sort()

describe("a source folder's description", () => {
  for (const folder of folders) {
    it(`of ${folder} is one line, as in its row of the arrows table`, () => {
      const sentences = products
        .filter((file) => dirname(file) === folder)
        .flatMap((file) => /^\/\/ Folder: (.*)/.exec(read(file))?.[1] ?? [])
      assert.equal(sentences.length, 1)
      const { reason } = rooms.find(({ path }) => [path, `${path}/src`].includes(folder)) ?? {}
      if (reason !== undefined && folder !== 'services/identity-provider/src')
        assert.ok(reason.startsWith(sentences[0] ?? ''), reason)
    })
  }
})
