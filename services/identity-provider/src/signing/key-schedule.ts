import { z } from 'zod'

/** Verifiers keep a key set for up to a day (entra E83), so a new key waits longer. */
const longestKeySetCacheDays = 1
/** How far the clocks of verifiers may run behind, and how late a replica may learn of a rotation. */
const clockAllowanceSeconds = 300
const secondsPerDay = 86_400

/**
 * When signing keys follow one another. Settings that would lock verifiers out are refused, all
 * told together.
 *
 * @example
 * keyScheduleSchema.parse({ longestTokenSeconds: 3600 }).retireSeconds // 3900
 * keyScheduleSchema.safeParse({ longestTokenSeconds: 3600, announceDays: 0 }).success // false
 */
export const keyScheduleSchema = z
  .strictObject({
    /** Days that a key signs before the next one does; default 90. */
    rotateAfterDays: z.number().int().min(2).max(730).default(90),
    /** Days that a key is at least published before it signs; default 14. */
    announceDays: z
      .number()
      .int()
      .min(longestKeySetCacheDays, {
        error: `must be at least ${longestKeySetCacheDays}: verifiers keep a key set for a day, and refuse the tokens of a key that they have not seen yet`,
      })
      .default(14),
    /**
     * Seconds that a key is at least published before it signs when somebody asks for a rotation;
     * default 300, in which careful verifiers look an unknown key up again.
     */
    onDemandNoticeSeconds: z.number().int().min(30).max(secondsPerDay).default(300),
    /** Seconds from the signing of a token to its `exp`, the longest that this server issues. */
    longestTokenSeconds: z
      .number()
      .int()
      .min(1)
      .max(2 * secondsPerDay),
    /** Seconds that a key stays published after its last signature; default: as long as needed. */
    retireSeconds: z.number().int().optional(),
  })
  .check((context) => {
    const { announceDays, rotateAfterDays, retireSeconds, longestTokenSeconds } = context.value
    const refuse = (setting: string, input: unknown, message: string) =>
      context.issues.push({ code: 'custom', path: [setting], input, message })
    if (announceDays >= rotateAfterDays) {
      refuse(
        'announceDays',
        announceDays,
        `must be less than rotateAfterDays (${rotateAfterDays}): the next key is announced while this one signs`,
      )
    }
    const needed = longestTokenSeconds + clockAllowanceSeconds
    if (retireSeconds !== undefined && retireSeconds < needed) {
      refuse(
        'retireSeconds',
        retireSeconds,
        `must be at least ${needed}: tokens that the key signed are valid for ${longestTokenSeconds} s, and clocks differ by up to ${clockAllowanceSeconds} s`,
      )
    }
  })
  .transform((schedule) => ({
    ...schedule,
    retireSeconds: schedule.retireSeconds ?? schedule.longestTokenSeconds + clockAllowanceSeconds,
  }))

/** A schedule that was judged. */
export type KeySchedule = z.output<typeof keyScheduleSchema>

/** A schedule as it is asked for. */
export type KeyScheduleOptions = z.input<typeof keyScheduleSchema>

/** Seconds that a key stays published after its last signature, given the longest of its tokens. */
export const retirementSeconds = (schedule: KeySchedule, longestTokenSeconds: number): number =>
  Math.max(schedule.retireSeconds, longestTokenSeconds + clockAllowanceSeconds)
