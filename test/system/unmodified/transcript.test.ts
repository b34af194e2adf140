import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { firstDifference, stableTranscript } from './transcript.ts'

describe('a transcript', () => {
  for (const { name, output, stable } of [
    {
      name: 'a known value by its name',
      output: 'tenant 3ab8ab40-3f46-4c6f-a188-d449c658c748',
      stable: 'tenant <tenant>',
    },
    {
      name: 'another GUID',
      output: 'id 151382DB-58ec-46d2-8eef-c8aa9feee259',
      stable: 'id <guid>',
    },
    { name: 'a time', output: 'at 2026-11-22T21:28:06.361Z', stable: 'at <time>' },
    { name: 'trailing spaces', output: 'a  \nb\t\n', stable: 'a\nb\n' },
  ])
    it(`replaces ${name}`, () => {
      const known = { tenant: '3ab8ab40-3f46-4c6f-a188-d449c658c748' }
      assert.equal(stableTranscript(output, known), stable)
    })

  for (const { expected, actual, difference } of [
    { expected: 'a\nb', actual: 'a\nb', difference: undefined },
    { expected: 'a\nb', actual: 'a\nc', difference: 'row 2: expected "b", printed "c"' },
    { expected: 'a\nb', actual: 'a', difference: 'row 2: expected "b", printed the end' },
    { expected: 'a', actual: 'a\nb', difference: 'row 2: expected the end, printed "b"' },
  ])
    it(`reports ${difference ?? 'no difference'}`, () => {
      assert.equal(firstDifference(expected, actual), difference)
    })
})
