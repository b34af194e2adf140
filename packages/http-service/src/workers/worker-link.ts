import cluster from 'node:cluster'
import type { Registry } from 'prom-client'
import { Channel } from './channel.ts'
import { fetchThrough, onSharedFetch } from './shared-fetch.ts'
import type { WorkerAddress } from './worker-pool.ts'
import { readAllMetrics, reportMetrics } from './worker-report.ts'

/** The connection of a worker to the primary process. */
export type WorkerLink = {
  /** Whether this is the first worker: it starts alone, and does the work that must happen once. */
  readonly isFirst: boolean
  /** Makes a request once for all workers that need it within 30 s. Only URL, headers and signal count. */
  readonly fetch: typeof fetch
  /** Calls a function when another worker has fetched something new. */
  readonly onSharedFetch: (callback: () => void) => void
  /** Adds the metrics of this worker to those of all. */
  readonly reportMetrics: (registry: Registry) => void
  /** Reads the metrics of all workers in the format of Prometheus. */
  readonly readAllMetrics: () => Promise<string>
  /** Reports that this worker accepts requests. */
  readonly reportReady: (address: WorkerAddress) => void
}

/** Connects a worker to the primary process. Undefined in a process that is no worker. */
export function workerLink(worker: NodeJS.Process): WorkerLink | undefined {
  if (!cluster.isWorker || worker.send === undefined) return undefined
  const channel = new Channel({
    send: (message) => worker.send?.(message),
    on: (event, listener) => worker.on(event, listener),
    isConnected: () => worker.connected,
  })
  return {
    isFirst: cluster.worker?.id === 1,
    fetch: fetchThrough(channel),
    onSharedFetch: (callback) => onSharedFetch(channel, callback),
    reportMetrics: (registry) => reportMetrics(channel, registry),
    readAllMetrics: () => readAllMetrics(channel),
    reportReady: (address) => channel.tell('ready', address),
  }
}
