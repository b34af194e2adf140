import { z } from 'zod'

/** Verifiers may cache a key set for up to a day (entra E83), so a new key waits longer. */
const longestKeySetCacheDays = 1
/** Allowance for late clocks of verifiers, and for replicas that read a rotation late. */
const clockAllowanceSeconds = 300
const secondsPerDay = 86_400
/** The maximum number of seconds from now until `exp` of a token, according to the settings or a policy. */
export const longestTokenSeconds = secondsPerDay

/**
 * The schedule of key rotation. Settings that would lock verifiers out are refused, all in one error.
 *
 * @example
 * keyScheduleSchema.parse({ longestTokenSeconds: 3600 }).retireSeconds // 3900
 * keyScheduleSchema.safeParse({ longestTokenSeconds: 3600, announceDays: 0 }).success // false
 */
export const keyScheduleSchema = z
  .strictObject({
    /** Days from the first signature of a key to that of the next one; default 90. */
    rotateAfterDays: z.number().int().min(2).max(730).default(90),
    /** Minimum days from publication to the first signature; default 14. */
    announceDays: z
      .number()
      .int()
      .min(longestKeySetCacheDays, {
        error: `must be at least ${longestKeySetCacheDays}: verifiers cache a key set for a day, and refuse tokens of a key that is not in their cache`,
      })
      .default(14),
    /**
     * Minimum seconds from publication to the first signature after a rotation on demand; default
     * 300. In this time careful verifiers request an unknown key again.
     */
    onDemandNoticeSeconds: z.number().int().min(30).max(secondsPerDay).default(300),
    /** Seconds from signing to `exp`, for the longest-lived token that this server issues. */
    longestTokenSeconds: z
      .number()
      .int()
      .min(1)
      .max(2 * secondsPerDay),
    /** Seconds from the last signature of a key to the end of its publication; default: the minimum. */
    retireSeconds: z.number().int().optional(),
  })
  .check((context) => {
    const { announceDays, rotateAfterDays, retireSeconds, longestTokenSeconds } = context.value
    const addIssue = (setting: string, input: unknown, message: string) =>
      context.issues.push({ code: 'custom', path: [setting], input, message })
    if (announceDays >= rotateAfterDays)
      addIssue(
        'announceDays',
        announceDays,
        `must be less than rotateAfterDays (${rotateAfterDays}): the next key is announced during the signing time of the current one`,
      )
    const needed = longestTokenSeconds + clockAllowanceSeconds
    if (retireSeconds !== undefined && retireSeconds < needed)
      addIssue(
        'retireSeconds',
        retireSeconds,
        `must be at least ${needed}: tokens that the key signed are valid for ${longestTokenSeconds} s, and clocks differ by up to ${clockAllowanceSeconds} s`,
      )
  })
  .transform((schedule) => ({
    ...schedule,
    retireSeconds: schedule.retireSeconds ?? schedule.longestTokenSeconds + clockAllowanceSeconds,
  }))

export type KeySchedule = z.output<typeof keyScheduleSchema>

export type KeyScheduleOptions = z.input<typeof keyScheduleSchema>

/** Seconds from the last signature of a key to the end of its publication, for the longest-lived of its tokens. */
export const retirementSeconds = (schedule: KeySchedule, longestTokenSeconds: number): number =>
  Math.max(schedule.retireSeconds, longestTokenSeconds + clockAllowanceSeconds)
