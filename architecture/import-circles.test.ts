import assert from 'node:assert/strict'
import { dirname, join, relative } from 'node:path'
import { it } from 'node:test'
import { importsOf, root, sources } from './source-tree.ts'

/** Circles of relative imports, including type imports, each as its path. */
function importCircles(): string[][] {
  const circles: string[][] = []
  const finished = new Set<string>()
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file])
    if (finished.has(file) || path.includes(file) || !sources.includes(file)) return
    for (const specifier of importsOf(file).filter((one) => one.startsWith('.'))) {
      visit(relative(root, join(root, dirname(file), specifier)), [...path, file])
    }
    finished.add(file)
  }
  for (const file of sources) visit(file, [])
  return circles
}

it('no files import each other in a circle', () => {
  assert.deepEqual(importCircles(), [])
})
