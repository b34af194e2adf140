import type { Log } from './service-options.ts'

/**
 * Repeats a task. The interval starts when a run ends, also after a failure. The timer does not keep
 * the process alive.
 *
 * @param name names the task in the log, which has only the first of several failures in a row
 * @param task gets a signal that ends a long run when the task is stopped
 * @returns stops the task, and resolves when the current run has ended
 */
export function startPeriodicTask(
  everyMs: number,
  name: string,
  task: (signal: AbortSignal) => Promise<unknown>,
  log: Log,
): () => Promise<void> {
  const stop = new AbortController()
  let isFailing = false
  let running = Promise.resolve()
  let timer: NodeJS.Timeout
  const attempt = async () => {
    try {
      await task(stop.signal)
      if (isFailing) log.info({}, `${name} succeeds again`)
      isFailing = false
    } catch (cause) {
      if (cause === stop.signal.reason) return
      if (!isFailing) log.error({ err: cause }, `${name} failed`)
      isFailing = true
    }
  }
  const schedule = () => {
    timer = setTimeout(() => {
      running = attempt().then(() => {
        if (!stop.signal.aborted) schedule()
      })
    }, everyMs).unref()
  }
  schedule()
  return () => {
    stop.abort()
    clearTimeout(timer)
    return running
  }
}
