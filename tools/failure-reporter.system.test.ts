import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../test/fixtures/fresh-folder.ts'

const reporter = `--test-reporter=${join(import.meta.dirname, 'failure-reporter.ts')}`

const programs: readonly (readonly [what: string, program: string, printed: readonly RegExp[]])[] =
  [
    [
      'a test waits for what never comes',
      `it('fails', () => { throw new Error('the cause') })
     it('waits', () => new Promise(() => {}))`,
      [/fails \(.*waiting\.test\.mjs:\d\): Error: the cause/, /What still ran: waits \(/],
    ],
    [
      'a server is open after a failed hook',
      `before(() => { throw new Error('the cause') })
     it('does not run', () => {})`,
      [/the cause/, /What still ran: no test, so something is still open/],
    ],
  ]

describe('the failure reporter', () => {
  for (const [what, program, printed] of programs) {
    it(`prints the failures and stops the process if ${what}`, () => {
      const folder = freshFolder()
      const file = join(folder, 'waiting.test.mjs')
      writeFileSync(
        file,
        `import { before, it } from 'node:test'\nsetInterval(() => {}, 1000)\n${program}\nbefore(() => {})`,
      )
      const args = ['--test', '--test-isolation=none', reporter, file]
      const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
      const ended = spawnSync(process.execPath, args, {
        encoding: 'utf8',
        env: { ...inherited, TEST_SILENCE_MS: '1000' },
      })
      assert.equal(ended.status, 1)
      for (const pattern of printed) assert.match(ended.stdout + ended.stderr, pattern)
    })
  }
})
