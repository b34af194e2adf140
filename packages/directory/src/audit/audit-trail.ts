// Folder: Records of changes and of sign-ins, and what else a store keeps for their time: ports, and the buffer before them.

import type { AgreedTime } from '../clock/agreed-time.ts'
import type { AuditRecord } from './audit-record.ts'

/**
 * The names of the two logs. `directory` is the audit log: directory and key changes, made and
 * refused. `signIns` is the sign-in log: tokens issued and refused.
 */
export type AuditLogName = 'directory' | 'signIns'

/**
 * A part of a log with its own limit, so that many records of one lane remove no record of another: `signIns` of
 * authenticated clients, `unauthenticated` of unauthenticated ones, and `refusedChanges` at the management APIs.
 */
export type AuditLane = 'signIns' | 'unauthenticated' | 'refusedChanges'

/** A query for records. A record matches when every member that is present is equal. */
export type AuditQuery = {
  readonly log: AuditLogName
  readonly tenantId?: string | null
  readonly actor?: string
  readonly action?: string
  readonly target?: string
  readonly outcome?: AuditRecord['outcome']
  readonly reason?: string
  readonly correlationId?: string
  readonly id?: string
  /** Leaves out the done records of these actions. */
  readonly exceptDone?: readonly string[]
  /** Not before this time. */
  readonly from?: Date
  /** Before this time. */
  readonly to?: Date
  /** Only records that are older than the one with this id: `next` of the previous page. */
  readonly before?: string
  /** The maximum number of records, 1 to 1000. */
  readonly limit: number
}

/**
 * A page of matching records, the latest first. A query with several filters may return fewer records
 * than its limit, or none, and still have a next page: the work for one page is bounded.
 */
export type AuditPage = {
  readonly records: readonly (AuditRecord & { readonly id: string })[]
  /** The value of `before` for the next page; null for the last page. */
  readonly next: string | null
}

/** The records of one hour of a log, by their outcome. */
export type AuditHour = { readonly from: Date; readonly done: number; readonly refused: number }

export type AuditLimits = {
  /** Days that changes of the directory and the keys are kept. */
  readonly directoryDays: number
  /** Days that issued and refused tokens are kept. */
  readonly signInDays: number
  /** The maximum number of records of each lane; with 0, none is kept. */
  readonly records: Readonly<Record<AuditLane, number>>
}

/**
 * The storage of both logs. The transaction of a change writes its record. The records of token
 * requests are appended here, in batches.
 */
export interface AuditTrail {
  /** Appends all records to a lane, or none. */
  append(lane: AuditLane, records: readonly AuditRecord[]): Promise<void>
  find(query: AuditQuery): Promise<AuditPage>
  /**
   * Counts the records of each hour, at most 100,000 in one. An action of `exceptDone` has no target.
   *
   * @param from the start of the first hour
   */
  countHours(
    query: Pick<AuditQuery, 'log' | 'exceptDone'>,
    from: Date,
    hours: number,
  ): Promise<readonly AuditHour[]>
  /**
   * Deletes the records that are too old, in parts.
   *
   * @param signal ends it after a part
   * @throws {DOMException} AbortError when the signal ended it
   */
  forgetOld(limits: AuditLimits, agreed: AgreedTime, signal?: AbortSignal): Promise<void>
  /**
   * Deletes the oldest records beyond the maximum number of each lane, in parts.
   *
   * @param now decides when the records are counted again
   * @param signal ends it after a part
   * @throws {DOMException} AbortError when the signal ended it
   */
  forgetBeyond(limits: AuditLimits, now: Date, signal?: AbortSignal): Promise<void>
}
