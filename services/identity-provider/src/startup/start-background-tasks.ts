import type { AgreedTime } from '@greeting/directory/clock'
import type { Log } from '../endpoints/service-options.ts'
import { purgeExpired } from '../management/graph/directory-objects/purge-expired.ts'
import type { ServiceParts } from './service-parts.ts'

type Task = readonly [
  everyMs: number,
  name: string,
  task: (signal: AbortSignal) => Promise<unknown>,
  sources?: readonly Source[],
]

/** Has work for a task at times. */
type Source = { onWaiting: () => void; readonly isWaiting: boolean }

/** Starts the work between requests. The stack stops it, after a task that is running. */
export function startBackgroundTasks(
  parts: ServiceParts,
  reportCountedRefusals: () => Promise<void>,
  stack: AsyncDisposableStack,
): void {
  const { settings, storage, directory, standbyReads, keys, clock, log } = parts
  const tasks: readonly Task[] = [
    [500, 'write of the audit log', writeAudit, [parts.auditBuffer, parts.reversals]],
    ...tasksOfReplica(),
    [60_000, 'schedule of the signing keys', () => keys.tend()],
    [60_000, 'comparison of the clocks', () => clock.compare()],
    [60_000, 'report of counted refusals', reportCountedRefusals],
    [300_000, 'cleanup of the store', tidy],
    [300_000, 'purge of deleted items', whenAgreed(purge)],
    [3_600_000, 'renewal of the server certificate', whenAgreed(parts.listeners.renewCertificate)],
  ]
  for (const [everyMs, name, task, sources] of tasks)
    stack.defer(startPeriodicTask(everyMs, name, task, log, sources))

  function tasksOfReplica(): readonly Task[] {
    // Other processes seldom change a file. Each request reads what is older than a second again.
    if (settings.DATABASE_URL === undefined) return []
    // A database may have standbys, which show their age by the time of the servers.
    const beat = whenAgreed(({ date }) => storage.beat(date))
    const tasks: readonly Task[] = [
      // A change of another replica is effective within a second.
      [250, 'refresh of the directory', () => directory.refresh()],
      [250, 'refresh of the signing keys', () => keys.refresh()],
      [2000, 'heartbeat for standbys', beat],
    ]
    if (standbyReads === undefined) return tasks
    return [
      ...tasks,
      [1000, 'watch of the standby', () => standbyReads.watch()],
      [10_000, 'comparison of the standby', () => standbyReads.compare()],
    ]
  }
  async function writeAudit(): Promise<void> {
    await parts.auditBuffer.flush()
    await parts.reversals.writeTo(directory)
  }
  async function tidy(signal: AbortSignal): Promise<void> {
    await parts.regionalAssertions?.tidy(await clock.agreedTime())
    await storage.tidy(parts.environment.runtime.now(), await clock.agreedTime(), signal)
  }
  function purge(agreed: AgreedTime): Promise<unknown> {
    return purgeExpired(directory, agreed, settings.DELETED_ITEMS_RETENTION_DAYS)
  }
  /** A task that waits for an agreed time, because it cannot be undone. */
  function whenAgreed(task: (agreed: AgreedTime) => Promise<unknown>) {
    return async () => {
      const agreed = await clock.agreedTime()
      if (agreed !== undefined) await task(agreed)
    }
  }
}

/**
 * Repeats a task. The interval begins when a run ends, even after a failure. The timer does not
 * keep the process alive.
 *
 * @param name names the task in the log, which has only the first of several failures in a row
 * @param task gets a signal that ends a long run when the task is stopped
 * @param sources with them, the timer runs only while one has work: a process at rest sleeps
 * @returns stops the task, and resolves when the current run has ended
 */
export function startPeriodicTask(
  everyMs: number,
  name: string,
  task: (signal: AbortSignal) => Promise<unknown>,
  log: Log,
  sources?: readonly Source[],
): () => Promise<void> {
  const stop = new AbortController()
  let isFailing = false
  let running = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
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
  const hasWork = () => sources?.some(({ isWaiting }) => isWaiting) ?? true
  const schedule = () => {
    if (stop.signal.aborted) return
    timer ??= setTimeout(() => {
      running = attempt().then(() => {
        timer = undefined
        if (hasWork()) schedule()
      })
    }, everyMs).unref()
  }
  for (const source of sources ?? []) source.onWaiting = schedule
  if (hasWork()) schedule()
  return () => {
    stop.abort()
    clearTimeout(timer)
    return running
  }
}
