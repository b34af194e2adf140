import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freshFolder } from '../test/fixtures/fresh-folder.ts'

const testProcess = join(import.meta.dirname, 'test-process.ts')

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
    [
      'a callback throws while its test waits',
      `it('waits', () => new Promise(() => setImmediate(() => { throw new Error('the cause') })))`,
      [/Uncaught: Error: the cause\n +at .*waiting\.test\.mjs:/, /What still ran: waits \(/],
    ],
    [
      'a promise rejects after its test',
      `it('passes', () => { setImmediate(() => Promise.reject(new Error('the cause'))) })`,
      [/Uncaught: Error: the cause\n +at .*waiting\.test\.mjs:/],
    ],
  ]

describe('a test process', () => {
  for (const [what, program, printed] of programs) {
    it(`prints the failures and stops the process when ${what}`, () => {
      const folder = freshFolder()
      const file = join(folder, 'waiting.test.mjs')
      writeFileSync(
        file,
        `import { before, it } from 'node:test'\nsetInterval(() => {}, 1000)\n${program}\nbefore(() => {})`,
      )
      const ended = spawnSync(process.execPath, [testProcess, file], {
        encoding: 'utf8',
        env: { ...process.env, TEST_SILENCE_MS: '1000' },
      })
      assert.equal(ended.status, 1)
      for (const pattern of printed) assert.match(ended.stdout + ended.stderr, pattern)
    })
  }
})
