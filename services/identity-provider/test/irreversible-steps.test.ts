import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const folders = ['../src', '../../../packages/directory/src'].map((path) =>
  join(import.meta.dirname, path),
)

/**
 * Each file that deletes rows or objects, and how it decides which ones. A file that decides by age must take an
 * `AgreedTime`.
 */
const deletions: Readonly<Record<string, 'age' | 'count' | 'request' | 'reference'>> = {
  'backup/restore-backup.ts': 'request',
  'backup/tenant-changes.ts': 'request',
  'management/graph/applications/application-operations.ts': 'request',
  'management/graph/directory-objects/deleted-item.ts': 'request',
  'management/graph/service-principals/app-role-assignment-operations.ts': 'request',
  'storage/sql/directory/changed-objects.ts': 'count',
  'storage/sql/rows/directory-tables.ts': 'request',
  'storage/sql/migrations/triggers.ts': 'reference',
  'storage/sql/logs/sql-audit-trail.ts': 'age',
  'storage/sql/logs/sql-credential-uses.ts': 'reference',
  'storage/sql/logs/sql-heartbeat.ts': 'count',
  'storage/sql/logs/sql-key-ring-store.ts': 'request',
  'storage/sql/logs/sql-replay-cache.ts': 'age',
}

/** Each file that decides by age, where the deletion is in another one. */
const decisionsByAge = [
  'management/graph/directory-objects/purge-expired.ts',
  'signing/key-ring.ts',
]

const texts = new Map(
  folders.flatMap((cwd) =>
    globSync('**/*.ts', { cwd }).map((file) => [file, readFileSync(join(cwd, file), 'utf8')]),
  ),
)
const files = [...texts.keys()].filter((file) => !/^lab[./]/.test(file))
const textOf = (file: string) => texts.get(file) ?? ''
const filesWith = (pattern: RegExp) => files.filter((file) => pattern.test(textOf(file))).sort()

describe('the steps that cannot be undone', () => {
  it('are exactly the steps in this list', () => {
    const found = filesWith(/\bdeleteFrom\(|\bdelete from\b|\bremove\(('|kind)/)
    assert.deepEqual(found, Object.keys(deletions).sort())
  })

  for (const file of [
    ...Object.keys(deletions).filter((file) => deletions[file] === 'age'),
    ...decisionsByAge,
  ]) {
    it(`use an agreed time in ${file}, and read no other clock`, () => {
      assert.match(textOf(file), /\{ date(: \w+)? \}: AgreedTime/)
      assert.doesNotMatch(textOf(file), /\bnow\(\)|new Date\(\)|Date\.now/)
    })
  }

  it('get an agreed time only from one function', () => {
    assert.deepEqual(filesWith(/new AgreedTime\(/), ['clock/agreed-clock.ts'])
  })
})
