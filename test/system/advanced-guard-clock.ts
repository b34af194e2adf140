import { existsSync } from 'node:fs'

// Loaded before `greeting start`, so that the guard of its API looks for an unknown key without waiting
// for the cooldown of 30 s. Other commands keep their clock.

/** The path of the file whose existence sets the clock a minute ahead, in the folder of the process. */
export const advanceFile = 'clock-is-ahead'

if (process.argv.includes('start')) {
  const monotonicMs = performance.now.bind(performance)
  performance.now = () => monotonicMs() + (existsSync(advanceFile) ? 60_000 : 0)
}
