import type { StorageUsage } from '@greeting/directory/audit'
import { defaultStorageLimits } from '@greeting/directory/storage'
import type { KeyState } from '../../../src/signing/key-ring.ts'
import type { MetricSources } from '../../../src/telemetry/metrics/metrics.ts'

/** The usage of a store before its first cleanup. */
export const unknownUsage: StorageUsage = {
  bytes: undefined,
  usedAssertions: undefined,
  credentialUses: undefined,
  auditRecords: { signIns: undefined, unauthenticated: undefined, refusedChanges: undefined },
  endingCredentials: { secret: undefined, certificate: undefined },
  tenantObjects: {},
}

const now = new Date('2030-01-01T00:00:00Z')
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000)
const state = (phase: KeyState['phase'], until: Date | null) => ({ phase, until }) as KeyState

/** The figures of a service in a test. */
export const sampleSources = (usage = () => unknownUsage): MetricSources => ({
  directory: { revision: 7, conflicts: 2, ageSeconds: 0.25, cacheWeight: 40 },
  maxCacheWeight: 1000,
  maxTenantObjects: 300,
  keys: {
    states: () => [
      state('retired', inDays(1)),
      state('active', inDays(10)),
      state('announced', inDays(10)),
    ],
    revision: 3,
    conflicts: 1,
    ageSeconds: 0.5,
  },
  storage: {
    usage,
    limits: defaultStorageLimits,
    reversals: () => 1,
    clock: { offsetSeconds: -0.5, disagreements: 2, isInDoubt: true },
    auditExport: () => ({ 'file:/audit.jsonl': { queued: 6, dropped: 7, failures: 8 } }),
    auditBacklog: () => ({ waiting: 4, dropped: 5 }),
    standby: () => ({ isUsed: true, ageSeconds: 12, maxStalenessSeconds: 300 }),
  },
  certificateEnd: () => inDays(60),
  now: () => now,
})
