/**
 * Loaded before the identity provider: the tasks of every 5 minutes run every second. Otherwise a case
 * would wait 5 minutes for its cleanup.
 */
const cleanupEveryMs = 300_000
const shortMs = 1000

const { setTimeout: start } = globalThis
globalThis.setTimeout = Object.assign(
  (run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) =>
    start(run, delayMs === cleanupEveryMs ? shortMs : delayMs, ...args),
  start,
) as typeof start
