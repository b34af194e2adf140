import { Cron } from 'croner'
import { CommandFailure } from '../../exit-codes.ts'

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

type LoopClock = {
  readonly epochMs: () => number
  readonly random: () => number
  /** Resolves after the time, or early when the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>
}

/** The result of one run, for its log line. */
export type Run<Outcome> = {
  readonly number: number
  readonly startEpochMs: number
  readonly durationMs: number
  readonly result: { readonly outcome: Outcome } | { readonly error: unknown }
  /** Number of scheduled times that passed during the previous run. */
  readonly skipped: number
}

export type LoopOptions<Outcome> = {
  readonly schedule: Schedule
  /** Maximum random delay of each run, in milliseconds; a tenth of the interval by default. */
  readonly jitterMs?: number | undefined
  /** Number of consecutive failures that ends the loop; unlimited by default. */
  readonly failAfter?: number | undefined
  readonly perform: () => Promise<Outcome>
  readonly onRun: (run: Run<Outcome>) => void
  /** Called with the time of the next run. */
  readonly onNext?: (epochMs: number) => void
  /** Ends the loop after the current run. */
  readonly stop: AbortSignal
  readonly clock: LoopClock
}

const maxDefaultJitterMs = 30_000

/**
 * Performs a job whenever it is due, until the signal is aborted. Runs never overlap.
 *
 * @returns the error of the last run after too many consecutive failures, else `undefined`
 */
export async function loopJob<Outcome>(options: LoopOptions<Outcome>): Promise<unknown> {
  const { schedule, clock, stop, perform, onRun } = options
  const { failAfter = Number.POSITIVE_INFINITY } = options
  let dueMs = schedule.startsImmediately ? clock.epochMs() : schedule.nextAfter(clock.epochMs())
  let skipped = 0
  let failures = 0
  for (let number = 1; dueMs !== undefined; number += 1) {
    if (number > 1 || !schedule.startsImmediately) {
      const beginMs =
        dueMs + clock.random() * (options.jitterMs ?? defaultJitterMs(schedule, dueMs))
      options.onNext?.(beginMs)
      await clock.sleep(Math.max(beginMs - clock.epochMs(), 0), stop)
    }
    if (stop.aborted) return undefined
    const startEpochMs = clock.epochMs()
    const result = await resultOf(perform())
    const endMs = clock.epochMs()
    onRun({ number, startEpochMs, durationMs: endMs - startEpochMs, result, skipped })
    failures = 'error' in result ? failures + 1 : 0
    if ('error' in result && failures >= failAfter) return result.error
    if (stop.aborted) return undefined
    skipped = countSkipped(schedule, dueMs, endMs)
    dueMs = schedule.nextAfter(Math.max(dueMs, endMs))
  }
  return undefined
}

async function resultOf<Outcome>(work: Promise<Outcome>): Promise<Run<Outcome>['result']> {
  try {
    return { outcome: await work }
  } catch (error) {
    return { error }
  }
}

/**
 * The random delay of a run. It prevents that the jobs of many machines all start at the full hour.
 */
function defaultJitterMs(schedule: Schedule, dueMs: number): number {
  const followingMs = schedule.nextAfter(dueMs) ?? dueMs
  return Math.min((followingMs - dueMs) / 10, maxDefaultJitterMs)
}

const maxCounted = 1_000

function countSkipped(schedule: Schedule, dueMs: number, endMs: number): number {
  let count = 0
  let next = schedule.nextAfter(dueMs)
  while (next !== undefined && next <= endMs && count < maxCounted) {
    count += 1
    next = schedule.nextAfter(next)
  }
  return count
}
