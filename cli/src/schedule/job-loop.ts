import type { Schedule } from './schedule.ts'

/** Time, as a job loop needs it. */
export type LoopClock = {
  readonly epochMs: () => number
  readonly random: () => number
  /** Resolves after the time, or early when the signal is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>
}

/** One run, for the line that tells of it. */
export type Run<Outcome> = {
  readonly number: number
  readonly startEpochMs: number
  readonly durationMs: number
  readonly result: { readonly outcome: Outcome } | { readonly error: unknown }
  /** Moments that passed while the run before was still going on. */
  readonly skipped: number
}

export type LoopOptions<Outcome> = {
  readonly schedule: Schedule
  /** The most that chance may add to each moment, in milliseconds; a tenth of the pause by default. */
  readonly jitterMs?: number | undefined
  /** How many failures in a row end the loop; none by default. */
  readonly failAfter?: number | undefined
  readonly perform: () => Promise<Outcome>
  readonly onRun: (run: Run<Outcome>) => void
  /** Told when the next run begins. */
  readonly onNext?: (epochMs: number) => void
  /** Ends the loop, after the run in hand. */
  readonly stop: AbortSignal
  readonly clock: LoopClock
}

const maxDefaultJitterMs = 30_000

/**
 * Performs a job whenever it is due, never twice at once, until it is stopped.
 *
 * @returns The error of the last run when too many have failed in a row, else undefined.
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

/** How far chance may move a moment: so that jobs of many machines do not all come at the full hour. */
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
