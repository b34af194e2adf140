import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

const source = join(import.meta.dirname, '../src')
const importPattern = /(?:^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*|\bimport\()'([^']+)'/gm

/** Every import specifier that is reachable from a file through the files of this package. */
function reachable(file: string, seen = new Set<string>(), found = new Set<string>()): Set<string> {
  if (seen.has(file)) return found
  seen.add(file)
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(importPattern)) {
    if (specifier.startsWith('.')) reachable(join(dirname(file), specifier), seen, found)
    else found.add(specifier)
  }
  return found
}

describe('the library', () => {
  for (const [entry, file] of [
    ['its main entry', 'index.ts'],
    ['the entry for MCP', 'mcp/index.ts'],
  ] as const) {
    it(`imports no Node module and only one package in ${entry}`, () => {
      assert.deepEqual([...reachable(join(source, file))], ['oauth4webapi'])
    })
  }

  it('imports Node modules only in its entry for files', () => {
    const found = [...reachable(join(source, 'files/index.ts'))].sort()
    assert.deepEqual(found, [
      'node:crypto',
      'node:fs/promises',
      'node:path',
      'node:timers/promises',
      'oauth4webapi',
    ])
  })
})
