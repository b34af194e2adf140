import type { Plan } from '../planning/plan.ts'

export type WaitUntilVisibleOptions = {
  /** Reads the directory anew and compares it with the file. */
  readonly plan: () => Promise<Plan>
  readonly sleep: (durationMs: number) => Promise<void>
  readonly monotonicMs: () => number
  /** How long to wait, in milliseconds; default 60000. */
  readonly maxWaitMs?: number
}

const firstPauseMs = 100
const maxPauseMs = 5_000

/**
 * Waits until the directory shows what was done to it, so that whoever looks next, or applies the
 * file again, sees it too: a directory that is asked too early knows nothing of a new application,
 * and would be given a second one.
 *
 * @returns whether it was seen in time.
 */
export async function waitUntilVisible(options: WaitUntilVisibleOptions): Promise<boolean> {
  const { plan, sleep, monotonicMs, maxWaitMs = 60_000 } = options
  const endMs = monotonicMs() + maxWaitMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const { changes } = await plan()
    if (changes.length === 0) return true
    if (monotonicMs() + pauseMs >= endMs) return false
    await sleep(pauseMs)
  }
}
