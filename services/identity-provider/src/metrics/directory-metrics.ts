import type { MetricSet } from './metric-set.ts'

/** The figures of the directory. */
export type DirectoryFigures = {
  readonly revision: number
  readonly conflicts: number
  readonly ageSeconds: number
  readonly cacheWeight: number
}

/** Adds the state of the directory in memory. */
export function directoryMetrics(
  metrics: MetricSet,
  directory: DirectoryFigures,
  maxCacheWeight: number,
): void {
  metrics.gauge(
    'greeting_directory_revision',
    'The commit of the directory that this server follows.',
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
}
