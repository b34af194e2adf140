import type { AuditLane, AuditLimits } from './audit-trail.ts'

/** The limits of the parts of a store that requests fill. */
export type StorageLimits = AuditLimits & {
  /** The maximum number of used assertions that have not expired. */
  readonly usedAssertions: number
}

/** The content of a store at this server's last cleanup; undefined before. */
export type StorageUsage = {
  /** The bytes of the data file or the database. */
  readonly bytes: number | undefined
  readonly auditRecords: Readonly<Record<AuditLane, number | undefined>>
  readonly usedAssertions: number | undefined
  readonly credentialUses: number | undefined
  /** The secrets and certificates that end within 30 days. */
  readonly endingCredentials: Readonly<Record<'secret' | 'certificate', number | undefined>>
  /** The applications and service principals of the counted tenants, deleted ones included. */
  readonly tenantObjects: Readonly<Record<string, number>>
}
