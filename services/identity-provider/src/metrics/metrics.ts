// Folder: Metrics read the figures of other rooms, which do not know Prometheus.

import type { ObserveRequest } from '@greeting/http-service'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ObserveToken } from '../http/token-observation.ts'
import type { ObserveQuery } from '../storage/sql/sql-database.ts'
import { type DirectoryFigures, directoryMetrics } from './directory-metrics.ts'
import { type KeyFigures, keyMetrics } from './key-metrics.ts'
import { MetricSet } from './metric-set.ts'
import { type StorageFigures, storageMetrics } from './storage-metrics.ts'
import { tokenMetrics } from './token-metrics.ts'

/** The parts of the service whose figures the metrics show. */
export type MetricSources = {
  readonly directory: DirectoryFigures
  readonly keys: KeyFigures
  readonly maxCacheWeight: number
  readonly now: () => Date
  readonly storage: StorageFigures
}

/** The metrics of the service, in the format of Prometheus. */
export type Metrics = {
  readonly registry: Registry
  readonly observeToken: ObserveToken
  /** Measures a signature. */
  readonly observeSignature: (seconds: number) => void
  /** Measures one access to the store. */
  readonly observeQuery: ObserveQuery
  /** Measures one HTTP request. */
  readonly observeRequest: ObserveRequest
  /** Connects the figures of the parts, which are created after the metrics. */
  readonly watch: (sources: MetricSources) => void
}

/** Upper limits of the buckets, in seconds: a signature takes 1 ms, and a request for a token up to 2 s. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const signatureBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5]
const storeBuckets = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5]

/**
 * Creates the metrics of one service, in a registry of their own. A read asks nothing of the store.
 *
 * @param clientIds the clients with a count of their own; no other client ID is a label
 */
export function createMetrics(clientIds: readonly string[] = []): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = new MetricSet(registry)
  const requests = metrics.durations(
    'http_server_request_duration_seconds',
    'Time from a request to its answer, by route.',
    ['http_request_method', 'http_route', 'http_response_status_code'],
    requestBuckets,
  )
  const signatures = metrics.durations(
    'greeting_signature_duration_seconds',
    'Time for one signature of a token.',
    [],
    signatureBuckets,
  )
  const queries = metrics.durations(
    'greeting_store_operation_duration_seconds',
    'Time for one access to the store, by kind and result.',
    ['kind', 'result'],
    storeBuckets,
  )
  return {
    registry,
    observeToken: tokenMetrics(metrics, clientIds),
    observeSignature: (seconds) => signatures.observe(seconds),
    observeQuery: (kind, isDone, seconds) =>
      queries.observe({ kind, result: isDone ? 'done' : 'failed' }, seconds),
    observeRequest: ({ method, route, status }, seconds) =>
      requests.observe(
        {
          http_request_method: method,
          http_route: route,
          http_response_status_code: String(status),
        },
        seconds,
      ),
    watch: ({ directory, keys, storage, maxCacheWeight, now }) => {
      directoryMetrics(metrics, directory, maxCacheWeight)
      keyMetrics(metrics, keys, now)
      storageMetrics(metrics, storage)
    },
  }
}
