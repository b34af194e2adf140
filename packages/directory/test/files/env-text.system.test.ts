import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { parseEnv } from 'node:util'
import { envText } from '../../src/files/env-text.ts'

const values = [
  'plain',
  'set by ops; echo ran',
  '$(echo ran) `echo ran` $HOME',
  '~/folder:~',
  "it's",
  'say "no"',
  'back\\slash',
  'two\nlines',
  '',
]

describe('a settings file', () => {
  for (const value of values)
    it(`means the same to a shell and to a program: ${JSON.stringify(value)}`, () => {
      const text = envText({ NOTE: value, LAST: 'x' })
      assert.deepEqual({ ...parseEnv(text) }, { NOTE: value, LAST: 'x' })
      const program = `${text}printf %s "$NOTE"`
      assert.equal(execFileSync('sh', ['-c', program], { encoding: 'utf8' }), value)
    })

  it('is not written if no quotes can contain a value', () => {
    for (const value of ["it's $HOME", 'a\rb'])
      assert.throws(() => envText({ NOTE: value }), /^Error: NOTE cannot be written/)
  })
})
