import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { keyPhases } from '../../src/signing/key-ring.ts'
import { keyScheduleSchema } from '../../src/signing/key-schedule.ts'
import { keySchedule, readSettings } from '../../src/startup/settings.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/guides/keys.md'), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))

const rowOf = (name: string) => rows.find((cells) => cells[1] === name) ?? []

describe('the page about keys', () => {
  for (const [phase, { signs }] of Object.entries(keyPhases)) {
    it(`describes the phase ${phase}`, () => {
      const word = (does: boolean) => (does ? 'yes' : 'no')
      assert.equal(rowOf(phase)[2], word(signs))
    })
  }

  it('lists the default values of the schedule', () => {
    const settings = readSettings({})
    const days = (name: 'KEY_ROTATE_AFTER_DAYS' | 'KEY_ANNOUNCE_DAYS') =>
      assert.ok(page.includes(`${settings[name]} days (\`${name}\`)`), name)
    days('KEY_ROTATE_AFTER_DAYS')
    days('KEY_ANNOUNCE_DAYS')
    const schedule = keyScheduleSchema.parse(keySchedule(settings))
    const { longestTokenSeconds: longest } = schedule
    assert.equal(longest, 24 * 3600)
    assert.match(
      page,
      /A policy can give tokens a lifetime of a day, so a retired key stays published/,
    )
    assert.match(page, new RegExp(`published for ${schedule.onDemandNoticeSeconds} s`))
    assert.match(rowOf('retired')[3] ?? '', new RegExp(`${schedule.retireSeconds - longest} s`))
  })
})
