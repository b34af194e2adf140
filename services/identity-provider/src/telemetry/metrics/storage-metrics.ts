import type { AuditBacklog, StorageLimits, StorageUsage } from '@greeting/directory/audit'
import type { MetricSet } from './metric-set.ts'

/** The figures of the comparison of the clock of this server. */
type ClockFigures = {
  readonly offsetSeconds: number | undefined
  readonly disagreements: number
  readonly isInDoubt: boolean
}

/** What is read while the store is unavailable. */
type StandbyFigures = {
  readonly isUsed: boolean
  readonly ageSeconds: number | undefined
  readonly maxStalenessSeconds: number
}

export type StorageFigures = {
  readonly usage: () => StorageUsage
  readonly limits: StorageLimits
  readonly auditBacklog: () => AuditBacklog
  readonly auditExport: () => Readonly<
    Record<string, { queued: number; dropped: number; failures: number }>
  >
  /** How often the store has lost commits since the start. */
  readonly reversals: () => number
  readonly clock: ClockFigures
  /** Undefined without a standby. */
  readonly standby: () => StandbyFigures | undefined
}

/** Adds the size of the store as of its last cleanup, and the audit records that wait for it. */
export function storageMetrics(
  metrics: MetricSet,
  { usage, limits, auditBacklog, auditExport, reversals, clock, standby }: StorageFigures,
): void {
  metrics.gaugeBy(
    'lane',
    'greeting_storage_audit_records',
    'Audit records of each lane that has a limit.',
    () => usage().auditRecords,
  )
  metrics.gaugeBy(
    'lane',
    'greeting_storage_audit_records_max',
    'The limit of the audit records of each lane.',
    () => limits.records,
  )
  metrics.gauge(
    'greeting_storage_used_assertions',
    'Used client assertions that have not expired.',
    () => usage().usedAssertions,
  )
  metrics.gauge(
    'greeting_storage_used_assertions_max',
    'The limit of the used client assertions; beyond it, each assertion gets 503.',
    () => limits.usedAssertions,
  )
  metrics.gauge(
    'greeting_storage_credential_uses',
    'Credentials with a recorded last use.',
    () => usage().credentialUses,
  )
  metrics.gauge(
    'greeting_storage_bytes',
    'The size of the data file or the database.',
    () => usage().bytes,
  )
  metrics.gaugeBy(
    'kind',
    'greeting_credentials_ending',
    'Secrets and certificates that end within 30 days.',
    () => usage().endingCredentials,
  )
  metrics.gaugeBy(
    'tenant_id',
    'greeting_tenant_objects',
    'Applications and service principals of the tenants that METRICS_TENANT_IDS names, deleted ones included.',
    () => usage().tenantObjects,
  )
  metrics.gauge(
    'greeting_audit_waiting_records',
    'Audit records that wait for the store.',
    () => auditBacklog().waiting,
  )
  metrics.count(
    'greeting_audit_dropped_records_total',
    'Audit records that were dropped, because too many waited for the store.',
    () => auditBacklog().dropped,
  )
  const ofSinks = (figure: 'queued' | 'dropped' | 'failures') => () =>
    Object.fromEntries(
      Object.entries(auditExport()).map(([sink, figures]) => [sink, figures[figure]]),
    )
  metrics.gaugeBy(
    'sink',
    'greeting_audit_export_queued',
    'Audit records that wait for a log store of AUDIT_EXPORT.',
    ofSinks('queued'),
  )
  metrics.countBy(
    'sink',
    'greeting_audit_export_dropped_total',
    'Audit records that a log store of AUDIT_EXPORT did not get, because too many waited or it rejected them.',
    ofSinks('dropped'),
  )
  metrics.countBy(
    'sink',
    'greeting_audit_export_failures_total',
    'Batches that a log store of AUDIT_EXPORT did not take.',
    ofSinks('failures'),
  )
  metrics.count(
    'greeting_store_reversals_total',
    'How often the store lost commits that this server knows, for example after a failover.',
    reversals,
  )
  metrics.gauge(
    'greeting_standby_used',
    '1 while the primary is unavailable, and tokens are issued from the standby and the cache.',
    () => asNumber(standby()?.isUsed),
  )
  metrics.gauge(
    'greeting_standby_age_seconds',
    'How old the state of the standby is at most; none while nothing can be read from it.',
    () => standby()?.ageSeconds,
  )
  metrics.gauge(
    'greeting_standby_age_seconds_max',
    'The age up to which tokens are issued from the standby.',
    () => standby()?.maxStalenessSeconds,
  )
  metrics.gauge(
    'greeting_clock_offset_seconds',
    'How far the clock of this server is ahead of PostgreSQL, or with SQLite of the last agreed time plus the time since then.',
    () => clock.offsetSeconds,
  )
  metrics.count(
    'greeting_clock_disagreements_total',
    'How often the clock of this server was found to differ.',
    () => clock.disagreements,
  )
  metrics.gauge(
    'greeting_clock_in_doubt',
    '1 while the clock may be wrong, so nothing is deleted by its age.',
    () => Number(clock.isInDoubt),
  )
}

const asNumber = (value: boolean | undefined) => (value === undefined ? undefined : Number(value))
