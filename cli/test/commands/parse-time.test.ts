import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseTime } from '../../src/commands/audit-log.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')

describe('a time on the command line', () => {
  for (const [text, time] of [
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5-01:30', '2026-01-31T13:30:00.500Z'],
    ['90s', '2026-03-01T11:58:30.000Z'],
    ['1h30m', '2026-03-01T10:30:00.000Z'],
    ['7d', '2026-02-22T12:00:00.000Z'],
  ] as const)
    it(`is read from ${text}`, () => {
      assert.equal(parseTime(text, nowMs).toISOString(), time)
    })

  for (const text of ['', 'yesterday', '31.01.2026', '2026-01-31T12:00:00', '2026-02-30', '25d'])
    it(`is not read from "${text}"`, () => {
      assert.throws(() => parseTime(text, nowMs), /The time must have a form like/)
    })
})
