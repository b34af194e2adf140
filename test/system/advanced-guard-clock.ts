import { existsSync } from 'node:fs'

// Loaded before the greeting API, so that its guard looks for an unknown key without waiting for the
// cooldown of 30 s. Other processes of the system keep their clock.

/** The path of the file whose existence sets the clock a minute ahead, in the folder of the process. */
export const advanceFile = 'clock-is-ahead'

if (process.argv.some((argument) => argument.endsWith('greeting-api/src/main.ts'))) {
  const monotonicMs = performance.now.bind(performance)
  performance.now = () => monotonicMs() + (existsSync(advanceFile) ? 60_000 : 0)
}
