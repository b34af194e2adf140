import type { AuditRecord } from './audit-record.ts'

/**
 * The two books of the audit: changes of the directory and the keys, made and refused; tokens issued
 * and refused.
 */
export type AuditBook = 'directory' | 'signIns'

/**
 * The part of a book that a record is appended to. Each has a limit of its own, so that records
 * push out only records of the same lane: `signIns` of clients that have authenticated, `strangers`
 * of anybody else, and `refusedChanges` of callers of the management APIs.
 */
export type AuditLane = 'signIns' | 'strangers' | 'refusedChanges'

/** Which records are asked for: those in which everything that is named is so. */
export type AuditQuery = {
  readonly book: AuditBook
  readonly tenantId?: string | null
  readonly actor?: string
  readonly action?: string
  readonly target?: string
  readonly outcome?: AuditRecord['outcome']
  readonly reason?: string
  readonly correlationId?: string
  /** Not before this time. */
  readonly from?: Date
  /** Before this time. */
  readonly to?: Date
  /** Only records that were written before the one with this id: `next` of the page before. */
  readonly before?: string
  /** At most so many records; 1 to 1000. */
  readonly limit: number
}

/** A part of what a query finds, the latest first. */
export type AuditPage = {
  readonly records: readonly (AuditRecord & { readonly id: string })[]
  /** What `before` is for the next page; null when this is the last. */
  readonly next: string | null
}

/** How much of the audit is kept. */
export type AuditLimits = {
  /** Days that changes of the directory and the keys are kept. */
  readonly directoryDays: number
  /** Days that issued and refused tokens are kept. */
  readonly signInDays: number
  /** Records of a lane that are kept at most. */
  readonly records: Readonly<Record<AuditLane, number>>
}

/**
 * What happened. Changes of the directory and of the keys are written in the transaction that makes
 * them; what issuing leaves behind is appended here, in batches.
 */
export interface AuditTrail {
  /** Appends to a lane, whole or not at all. */
  append(lane: AuditLane, records: readonly AuditRecord[]): Promise<void>
  find(query: AuditQuery): Promise<AuditPage>
  /** Forgets what is beyond the limits. */
  prune(limits: AuditLimits, now: Date): Promise<void>
}
