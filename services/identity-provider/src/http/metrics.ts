import type { WorkerLink } from '@greeting/http-service'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Storage } from '../storage/storage.ts'
import type { StorageLimits } from '../storage/storage-usage.ts'

/** The metrics of the service, in the format of Prometheus. */
export type Metrics = {
  readonly contentType: string
  readonly read: () => Promise<string>
}

/**
 * Creates the metrics of one service, in a registry of their own. A read asks nothing of the store:
 * the figures are those of its last cleanup.
 *
 * @param link in a worker: a read then returns the metrics of all workers
 */
export function createMetrics(
  storage: Pick<Storage, 'usage'>,
  limits: StorageLimits,
  link?: Pick<WorkerLink, 'reportMetrics' | 'readAllMetrics'>,
): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name,
      help,
      // All workers have one store.
      aggregator: 'max',
      registers: [registry],
      collect() {
        const current = value()
        if (current !== undefined) this.set(current)
      },
    })
  const perLane = (
    name: string,
    help: string,
    values: () => Readonly<Record<string, number | undefined>>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['lane'],
      // All workers have one store.
      aggregator: 'max',
      registers: [registry],
      collect() {
        for (const [lane, current] of Object.entries(values()))
          if (current !== undefined) this.set({ lane }, current)
      },
    })
  perLane(
    'greeting_storage_audit_records',
    'Audit records of each lane that has a limit.',
    () => storage.usage().auditRecords,
  )
  perLane(
    'greeting_storage_audit_records_max',
    'The limit of the audit records of each lane.',
    () => limits.records,
  )
  gauge(
    'greeting_storage_used_assertions',
    'Used client assertions that have not expired.',
    () => storage.usage().usedAssertions,
  )
  gauge(
    'greeting_storage_used_assertions_max',
    'The limit of the used client assertions; beyond it, each assertion gets 503.',
    () => limits.usedAssertions,
  )
  gauge(
    'greeting_storage_credential_uses',
    'Credentials with a recorded last use.',
    () => storage.usage().credentialUses,
  )
  gauge(
    'greeting_storage_bytes',
    'The size of the data file or the database.',
    () => storage.usage().bytes,
  )
  link?.reportMetrics(registry)
  return {
    contentType: registry.contentType,
    read: link?.readAllMetrics ?? (() => registry.metrics()),
  }
}
