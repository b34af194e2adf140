import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { maxSubjectCharacters, scopes, subjectFaults } from './commit-subject.ts'
import { read, root } from './source-tree.ts'

describe('the subject of a commit', () => {
  const rows: [string, number][] = [
    ['cli: accept key IDs that start with a dash', 0],
    ['guard: fix the second hash of the Bloom filter', 0],
    ['e2e: ETag is compared', 0],
    [`docs: ${'x'.repeat(66)}`, 0],
    [`docs: ${'x'.repeat(67)}`, 1],
    ['Take a kid that begins with a dash for a kid', 1],
    ['kitchen: clean the sink', 1],
    ['cli: Accept key IDs', 1],
    ['cli: accept key IDs.', 1],
    ['cli accept key IDs', 1],
  ]
  for (const [subject, faults] of rows)
    it(`"${subject}" has ${faults} faults`, () => {
      assert.equal(subjectFaults(subject).length, faults)
    })

  it('has the form that docs/explanation/style.md describes', () => {
    const style = read('docs/explanation/style.md')
    assert.ok(style.includes(`at most ${maxSubjectCharacters} characters`))
    assert.ok(style.includes(`one of ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`))
  })

  it('is right in the latest commit', () => {
    const subject = execFileSync('git', ['log', '-1', '--no-merges', '--format=%s'], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
    assert.deepEqual(subjectFaults(subject), [], subject)
  })
})
