import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { chooseFreePorts } from './free-ports.ts'
import { takeBackConnections } from './handed-connections.ts'
import { SharedFetch } from './shared-fetch.ts'
import { WorkerMetrics } from './worker-metrics.ts'
import { type WorkerAddress, WorkerPool, type WorkerProcess } from './worker-pool.ts'

/** The settings that the primary process reads: `WORKERS`, and each port that the workers share. */
type PrimarySettings = Parameters<typeof chooseFreePorts>[0] & { readonly WORKERS: number }

/**
 * Starts the workers of a service, each with the program and the environment of this process.
 *
 * @throws {WorkerStartError} worker_start_failed when one of them cannot start
 */
export async function startWorkers(
  settings: PrimarySettings,
  log: Logger,
): Promise<WorkerAddress & { readonly stop: () => Promise<void> }> {
  cluster.setupPrimary({ serialization: 'advanced' })
  const ports = await chooseFreePorts(settings)
  const readyPids = new Set<number | undefined>()
  const fork = () => {
    const worker = cluster.fork(ports)
    const isOther = (other: typeof worker | undefined) =>
      other !== worker && other?.isConnected() && readyPids.has(other.process.pid)
    takeBackConnections(worker.process, () => Object.values(cluster.workers ?? {}).some(isOther))
    return worker as WorkerProcess
  }
  const sharedFetch = new SharedFetch()
  const metrics = new WorkerMetrics(() => pool.channels)
  const pool: WorkerPool = new WorkerPool({
    count: settings.WORKERS,
    fork,
    connect: (channel) => {
      sharedFetch.serve(channel, () => pool.channels)
      metrics.serve(channel)
    },
    onReady: (workerPid) => {
      readyPids.add(workerPid)
      log.info({ workerPid }, 'worker ready')
    },
    onEnd: (channel, { pid: workerPid, code, signal }) => {
      readyPids.delete(workerPid)
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
