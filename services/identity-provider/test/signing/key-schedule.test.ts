import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keyScheduleSchema, retirementSeconds } from '../../src/signing/key-schedule.ts'

const longestTokenSeconds = 3600

describe('a key schedule', () => {
  it('rotates every 90 days, announces 14 days ahead, and retires keys until their tokens expire', () => {
    assert.deepEqual(keyScheduleSchema.parse({ longestTokenSeconds }), {
      rotateAfterDays: 90,
      announceDays: 14,
      onDemandNoticeSeconds: 300,
      longestTokenSeconds: 3600,
      retireSeconds: 3900,
    })
  })

  it('keeps a key for its longest-lived token, even after a change of the settings', () => {
    const schedule = keyScheduleSchema.parse({ longestTokenSeconds })
    assert.equal(retirementSeconds(schedule, 600), 3900)
    assert.equal(retirementSeconds(schedule, 86_400), 86_700)
  })

  it('publishes a key for longer than necessary if the settings require it', () => {
    const schedule = keyScheduleSchema.parse({ longestTokenSeconds, retireSeconds: 3901 })
    assert.equal(schedule.retireSeconds, 3901)
  })

  for (const [setting, value, sentence] of [
    ['announceDays', 0, /verifiers cache a key set for a day/],
    ['announceDays', 90, /must be less than rotateAfterDays \(90\)/],
    ['announceDays', 1.5, /int/],
    ['rotateAfterDays', 1, />=2/],
    ['rotateAfterDays', 731, /<=730/],
    ['retireSeconds', 3899, /must be at least 3900: tokens .* valid for 3600 s/],
    ['onDemandNoticeSeconds', 29, />=30/],
    ['longestTokenSeconds', 0, />=1/],
    ['longestTokenSeconds', Number.POSITIVE_INFINITY, /number/],
    ['rotateDays', 90, /Unrecognized key/],
  ] as const) {
    it(`refuses ${setting} ${value}, which is unsafe or meaningless`, () => {
      const judged = keyScheduleSchema.safeParse({ longestTokenSeconds, [setting]: value })
      assert.equal(judged.success, false)
      assert.match(judged.error?.message ?? '', sentence)
    })
  }

  it('reports all errors together', () => {
    const judged = keyScheduleSchema.safeParse({
      longestTokenSeconds,
      rotateAfterDays: 10,
      announceDays: 10,
      retireSeconds: 60,
    })
    assert.deepEqual(
      judged.error?.issues.map(({ path }) => path[0]),
      ['announceDays', 'retireSeconds'],
    )
  })
})
