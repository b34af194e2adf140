import type { Log } from './service-options.ts'

/**
 * Does something again and again: each time so long after the last time ended, whether it failed or
 * not. Keeps no process alive.
 *
 * @param what What is done, for the log; a failure is logged once, until it succeeds again.
 * @returns Ends it, after the time that is running.
 */
export function startPeriodicTask(
  everyMs: number,
  what: string,
  task: () => Promise<unknown>,
  log: Log,
): () => Promise<void> {
  let isStopped = false
  let isFailing = false
  let running = Promise.resolve()
  let timer: NodeJS.Timeout
  const attempt = async () => {
    try {
      await task()
      if (isFailing) log.info({}, `${what} succeeds again`)
      isFailing = false
    } catch (cause) {
      if (!isFailing) log.error({ err: cause }, `${what} failed`)
      isFailing = true
    }
  }
  const schedule = () => {
    timer = setTimeout(() => {
      running = attempt().then(() => {
        if (!isStopped) schedule()
      })
    }, everyMs).unref()
  }
  schedule()
  return () => {
    isStopped = true
    clearTimeout(timer)
    return running
  }
}
