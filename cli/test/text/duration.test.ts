import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { durationMs, durationText } from '../../src/text/time.ts'

describe('a duration', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['1ms', 1],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['0.5s', 500],
    ['0s', 0],
    ['24d', 2_073_600_000],
  ]
  for (const [text, ms] of rows) {
    it(`${text} is ${ms} ms`, () => assert.equal(durationMs(text), ms))
  }

  for (const text of ['', '5', 'm', '5 m', '-5m', '5m!', '5M', '25d', '1e3s', 's5']) {
    it(`cannot be written as ${JSON.stringify(text)}`, () => {
      assert.throws(() => durationMs(text), /The duration must have a form like 30s, 5m or 1h30m/)
    })
  }

  for (const [ms, text] of [
    [12.4, '12 ms'],
    [999, '999 ms'],
    [3_449, '3.4 s'],
    [59_900, '59.9 s'],
    [120_000, '2 min'],
  ] as const) {
    it(`of ${ms} ms is displayed as ${text}`, () => assert.equal(durationText(ms), text))
  }
})
