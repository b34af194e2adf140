import { Cron } from 'croner'
import { CommandFailure } from '../command-failure.ts'

/** When a job is due. */
export type Schedule = {
  /** The first moment after this one, in milliseconds since the Unix epoch; none if there is none. */
  readonly nextAfter: (epochMs: number) => number | undefined
  /** Whether the job is also due at once. */
  readonly startsImmediately: boolean
}

/** Due at once, and then in equal steps from there. */
export function everyMs(intervalMs: number, startEpochMs: number): Schedule {
  return {
    startsImmediately: true,
    nextAfter: (epochMs) => {
      const steps = Math.floor((epochMs - startEpochMs) / intervalMs) + 1
      return startEpochMs + steps * intervalMs
    },
  }
}

/**
 * Due when a cron expression says so.
 *
 * @param expression Five fields, or six with seconds in front.
 * @param timeZone Name of the time zone in which it is meant, such as Europe/Zurich; that of the
 * machine by default.
 * @throws {CommandFailure} badUsage when it cannot be read, or the time zone is not known.
 */
export function byCron(expression: string, timeZone?: string): Schedule {
  requireTimeZone(timeZone)
  try {
    const cron = new Cron(expression, { paused: true, ...(timeZone && { timezone: timeZone }) })
    return {
      startsImmediately: false,
      nextAfter: (epochMs) => cron.nextRun(new Date(epochMs))?.getTime(),
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Invalid cron expression "${expression}": ${reason}`
    throw new CommandFailure('badUsage', message, { cause })
  }
}

function requireTimeZone(timeZone: string | undefined): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    const remedy = 'Use a name like Europe/Zurich.'
    throw new CommandFailure('badUsage', `Unknown time zone ${timeZone}.`, { cause, remedy })
  }
}
