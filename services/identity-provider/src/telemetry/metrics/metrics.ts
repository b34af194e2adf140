// Folder: Metrics read the figures of other rooms, which do not know Prometheus.

import type { ObserveQuery } from '@greeting/directory/storage'
import type { ObserveRequest } from '@greeting/http-service'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ObserveToken } from '../../endpoints/token-observation.ts'
import { type KeyState, keyPhases } from '../../signing/key-ring.ts'
import { MetricSet } from './metric-set.ts'
import { type StorageFigures, storageMetrics } from './storage-metrics.ts'

/**
 * Adds the counts of token requests. Every label has a fixed set of values: the reasons of the table of
 * refusals, four kinds of credentials, and the clients and tenants of the settings.
 */
function tokenMetrics(metrics: MetricSet, counted: CountedIds): ObserveToken {
  const requests = metrics.counter(
    'greeting_token_requests_total',
    'Token requests: outcome issued, refused or failed; the reason of a refusal; credential secret, certificate, federated or none.',
    ['outcome', 'reason', 'credential'],
  )
  const byClient = metrics.counter(
    'greeting_client_token_requests_total',
    'Token requests of the clients that METRICS_CLIENT_IDS names.',
    ['client_id', 'outcome'],
  )
  const byTenant = metrics.counter(
    'greeting_tenant_token_requests_total',
    'Token requests of the tenants that METRICS_TENANT_IDS names.',
    ['tenant_id', 'outcome'],
  )
  const throttled = metrics.counter(
    'greeting_token_requests_throttled_total',
    'Token requests that got 429 instead of their reason, beyond the limits of wrong credentials.',
    [],
  )
  const clients = new Set(counted.clientIds)
  const tenants = new Set(counted.tenantIds)
  return ({ outcome, reason, credential, isThrottled, clientId = '', tenantId }) => {
    requests.inc({ outcome, reason, credential })
    if (isThrottled) throttled.inc()
    const id = clientId.toLowerCase()
    if (clients.has(id)) byClient.inc({ client_id: id, outcome })
    if (tenantId !== null && tenants.has(tenantId)) byTenant.inc({ tenant_id: tenantId, outcome })
  }
}

/** The clients and tenants that are counted separately; default none. No other ID is a label. */
export type CountedIds = {
  readonly clientIds?: readonly string[]
  readonly tenantIds?: readonly string[]
}

type DirectoryFigures = {
  readonly revision: number
  readonly conflicts: number
  readonly ageSeconds: number
  readonly cacheWeight: number
}

/** Adds the state of the directory in memory. */
function directoryMetrics(
  metrics: MetricSet,
  directory: DirectoryFigures,
  { maxCacheWeight, maxTenantObjects }: Pick<MetricSources, 'maxCacheWeight' | 'maxTenantObjects'>,
): void {
  metrics.gauge(
    'greeting_directory_revision',
    'The highest number of a commit of the directory that this server follows.',
    () => directory.revision,
  )
  metrics.gauge(
    'greeting_directory_age_seconds',
    'Time since the directory was last read from the store. Above 1 s, no token is issued.',
    () => directory.ageSeconds,
  )
  metrics.count(
    'greeting_directory_conflicts_total',
    'Changes of the directory that were decided again, because another server was faster.',
    () => directory.conflicts,
  )
  metrics.gauge(
    'greeting_directory_cache_weight',
    'Objects, credentials, roles and index entries of the directory in memory.',
    () => directory.cacheWeight,
  )
  metrics.gauge(
    'greeting_directory_cache_weight_max',
    'The limit of the entries in memory: DIRECTORY_CACHE_OBJECTS.',
    () => maxCacheWeight,
  )
  metrics.gauge(
    'greeting_tenant_objects_max',
    'The limit of the objects of each tenant, when there is one: MAX_TENANT_OBJECTS.',
    () => maxTenantObjects,
  )
}

type KeyFigures = {
  readonly states: () => readonly KeyState[]
  readonly revision: number
  readonly conflicts: number
  readonly ageSeconds: number
}

const phases = Object.keys(keyPhases)

/** Adds the phases of the signing keys, and the time until each phase ends. */
function keyMetrics(metrics: MetricSet, keys: KeyFigures, now: () => Date): void {
  const byPhase = <Value>(value: (states: readonly KeyState[]) => Value) =>
    Object.fromEntries(
      phases.map((phase) => [phase, value(keys.states().filter((state) => state.phase === phase))]),
    )
  metrics.gaugeBy(
    'phase',
    'greeting_signing_keys',
    'Signing keys in each phase: announced, active or retired.',
    () => byPhase((states) => states.length),
  )
  metrics.gaugeBy(
    'phase',
    'greeting_signing_key_phase_end_seconds',
    'Time until the next key leaves this phase. For the active key it must never be 0.',
    () =>
      byPhase((states) => {
        const ends = states.flatMap(({ until }) => (until === null ? [] : [until.getTime()]))
        return ends.length === 0 ? undefined : (Math.min(...ends) - now().getTime()) / 1000
      }),
  )
  metrics.gauge(
    'greeting_signing_keys_revision',
    'The commit of the signing keys that this server follows.',
    () => keys.revision,
  )
  metrics.gauge(
    'greeting_signing_keys_age_seconds',
    'Time since the signing keys were last read from the store. Above 1 s, nothing is signed.',
    () => keys.ageSeconds,
  )
  metrics.count(
    'greeting_signing_keys_conflicts_total',
    'Changes of the signing keys that were decided again, because another server was faster.',
    () => keys.conflicts,
  )
}

/** The parts of the service whose figures the metrics show. */
export type MetricSources = {
  readonly directory: DirectoryFigures
  readonly keys: KeyFigures
  readonly maxCacheWeight: number
  readonly maxTenantObjects: number | undefined
  readonly now: () => Date
  readonly storage: StorageFigures
  /** The end of the HTTPS certificate; undefined without HTTPS. */
  readonly certificateEnd: () => Date | undefined
}

/** The service's metrics, in the Prometheus format. */
export type Metrics = {
  readonly registry: Registry
  readonly observeToken: ObserveToken
  readonly observeSignature: (seconds: number) => void
  readonly observeQuery: ObserveQuery
  readonly observeRequest: ObserveRequest
  /** Connects the figures of the parts, which are created after the metrics. */
  readonly watch: (sources: MetricSources) => void
}

/** Upper limits of the buckets, in seconds: a signature takes 1 ms, and a request for a token up to 2 s. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const signatureBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 0.5]
const storeBuckets = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5]

/** Creates the metrics of one service, in a separate registry. Reading them sends no query to the store. */
export function createMetrics(counted: CountedIds = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const metrics = new MetricSet(registry)
  const requests = metrics.durations(
    'http_server_request_duration_seconds',
    'Time until a response begins, by the pattern of the route.',
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
    'Time for one access to the store: kind ask, report, snapshot or write; result done or failed.',
    ['kind', 'result'],
    storeBuckets,
  )
  return {
    registry,
    observeToken: tokenMetrics(metrics, counted),
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
    watch: ({ directory, keys, storage, certificateEnd, now, ...limits }) => {
      directoryMetrics(metrics, directory, limits)
      keyMetrics(metrics, keys, now)
      storageMetrics(metrics, storage)
      metrics.gauge(
        'greeting_https_certificate_end_seconds',
        'Time until the HTTPS certificate ends. The server renews it 30 days before.',
        () => {
          const end = certificateEnd()
          return end && (end.getTime() - now().getTime()) / 1000
        },
      )
    },
  }
}
