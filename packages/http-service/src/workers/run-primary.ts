import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { SharedFetch } from './shared-fetch.ts'
import { WorkerMetrics } from './worker-metrics.ts'
import { type WorkerAddress, WorkerPool, type WorkerProcess } from './worker-pool.ts'

/**
 * Starts the workers of a service, each with the program and the environment of this process.
 *
 * @throws {WorkerStartError} worker_start_failed when one of them cannot start
 */
export async function startWorkers(
  count: number,
  log: Logger,
): Promise<WorkerAddress & { readonly stop: () => Promise<void> }> {
  cluster.setupPrimary({ serialization: 'advanced' })
  const sharedFetch = new SharedFetch()
  const metrics = new WorkerMetrics(() => pool.channels)
  const pool: WorkerPool = new WorkerPool({
    count,
    fork: () => cluster.fork() as WorkerProcess,
    connect: (channel) => {
      sharedFetch.serve(channel, () => pool.channels)
      metrics.serve(channel)
    },
    onReady: (workerPid) => log.info({ workerPid }, 'worker ready'),
    onEnd: (channel, { pid: workerPid, code, signal }) => {
      log.error({ workerPid, code, signal }, 'a worker ended and is replaced')
      metrics.keepCounts(channel).catch((err) => log.error({ err }, 'counts were lost'))
    },
  })
  try {
    const address = await pool.start()
    return { ...address, stop: () => pool.stop() }
  } catch (error) {
    await pool.stop()
    throw error
  }
}
