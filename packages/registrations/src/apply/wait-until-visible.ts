import type { Plan } from '../planning/plan.ts'

export type WaitUntilVisibleOptions = {
  /** Reads the directory again and compares it with the file. */
  readonly plan: () => Promise<Plan>
  readonly sleep: (durationMs: number) => Promise<void>
  readonly monotonicMs: () => number
  /** Maximum time to wait, in milliseconds; default 60000. */
  readonly maxWaitMs?: number
}

const firstPauseMs = 100
const maxPauseMs = 5_000

/**
 * Waits until the directory shows the changes. Otherwise the next run might not see a new
 * application yet, and create it twice.
 *
 * @returns whether the changes became visible in time
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
