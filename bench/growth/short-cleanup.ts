/**
 * Loaded before the identity provider: the tasks of every 5 minutes run more often. The query of the URL
 * has the interval: `?everyMs=1000`. Otherwise a case would wait 5 minutes for its cleanup.
 */
const cleanupEveryMs = 300_000
const shortMs = Number(new URL(import.meta.url).searchParams.get('everyMs'))

const { setTimeout: start } = globalThis
globalThis.setTimeout = Object.assign(
  (run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) =>
    start(run, delayMs === cleanupEveryMs ? shortMs : delayMs, ...args),
  start,
) as typeof start
