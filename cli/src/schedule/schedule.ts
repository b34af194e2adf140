import { Cron } from 'croner'
import { CommandFailure } from '../exit-codes.ts'

/** The times at which a job is due. */
export type Schedule = {
  /** The first due time after this one, in epoch milliseconds, if any. */
  readonly nextAfter: (epochMs: number) => number | undefined
  /** Whether the job is also due immediately. */
  readonly startsImmediately: boolean
}

/** Due immediately, then at equal intervals. */
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
 * Due at the times of a cron expression.
 *
 * @param expression five fields, or six with seconds first
 * @param timeZone time zone of the expression, such as Europe/Zurich; default: the machine's
 * @throws {CommandFailure} bad_usage when the expression is invalid or the time zone is unknown.
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
    throw new CommandFailure('bad_usage', message, { cause })
  }
}

function requireTimeZone(timeZone: string | undefined): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    const remedy = 'Use a name like Europe/Zurich.'
    throw new CommandFailure('bad_usage', `Unknown time zone ${timeZone}`, { cause, remedy })
  }
}
