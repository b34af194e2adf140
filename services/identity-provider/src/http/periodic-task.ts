import type { Log } from './service-options.ts'

/**
 * Repeats a task. The interval starts when a run ends, also after a failure. The timer does not keep
 * the process alive.
 *
 * @param name names the task in the log, which has only the first of several failures in a row
 * @returns stops the task, and resolves when the current run has ended
 */
export function startPeriodicTask(
  everyMs: number,
  name: string,
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
      if (isFailing) log.info({}, `${name} succeeds again`)
      isFailing = false
    } catch (cause) {
      if (!isFailing) log.error({ err: cause }, `${name} failed`)
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
