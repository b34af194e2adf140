import type { Kysely } from 'kysely'
import type { AuditRecord } from '../../../audit/audit-record.ts'
import type {
  AuditHour,
  AuditLane,
  AuditLimits,
  AuditLogName,
  AuditPage,
  AuditQuery,
  AuditTrail,
} from '../../../audit/audit-trail.ts'
import { type AgreedTime, dayMs } from '../../../clock/agreed-time.ts'
import { type AuditTable, auditFromRow, insertAudit } from '../rows/audit-rows.ts'
import type { Tables } from '../rows/tables.ts'
import { timeOrderedIdFloor } from '../rows/time-ordered-id.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { countAuditHours, findAudit } from './find-audit.ts'

const tables: Readonly<Record<AuditLogName, AuditTable>> = {
  directory: 'directory_audit',
  signIns: 'sign_in_audit',
}
const laneTables: Readonly<Record<AuditLane, AuditTable>> = {
  signIns: 'sign_in_audit',
  unauthenticated: 'sign_in_audit',
  refusedChanges: 'directory_audit',
}
// Other writes wait for one part at most.
const rowsPerDeletion = 500
/** The part of a limit that may be appended before the records are counted again. */
const recountShare = 0.01

type LaneCount = {
  /** The records at the last count. */
  readonly counted: number
  readonly countedAtMs: number
  /** The records that this server appended since. */
  appended: number
}

/** The audit log and the sign-in log in a database. */
export class SqlAuditTrail implements AuditTrail {
  readonly #database: SqlDatabase
  readonly #counts = new Map<AuditLane, LaneCount>()

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  /** The records of a lane at the last count, and this server's records since; undefined before. */
  count(lane: AuditLane): number | undefined {
    const count = this.#counts.get(lane)
    return count && count.counted + count.appended
  }

  async append(lane: AuditLane, records: readonly AuditRecord[]): Promise<void> {
    await this.#database.writeBatch(async (db) => {
      await insertAudit(db, laneTables[lane], lane, records)
      return []
    })
    const count = this.#counts.get(lane)
    if (count !== undefined) count.appended += records.length
  }

  async find(query: AuditQuery): Promise<AuditPage> {
    const { rows, next } = await this.#database.report((db) =>
      findAudit(db, tables[query.log], query),
    )
    return { records: rows.map((row) => ({ id: row.id, ...auditFromRow(row) })), next }
  }

  countHours(
    { log, exceptDone }: Pick<AuditQuery, 'log' | 'exceptDone'>,
    from: Date,
    hours: number,
  ): Promise<readonly AuditHour[]> {
    return this.#database.report((db) =>
      countAuditHours(db, tables[log], exceptDone ?? [], from, hours),
    )
  }

  async forgetOld(
    { directoryDays, signInDays }: AuditLimits,
    { date }: AgreedTime,
    signal?: AbortSignal,
  ): Promise<void> {
    const daysAgo = (days: number) => timeOrderedIdFloor(new Date(date.getTime() - days * dayMs))
    await this.#deleteBefore('directory_audit', daysAgo(directoryDays), { signal })
    await this.#deleteBefore('sign_in_audit', daysAgo(signInDays), { signal })
  }

  async forgetBeyond({ records }: AuditLimits, now: Date, signal?: AbortSignal): Promise<void> {
    for (const [lane, count] of Object.entries(records))
      await this.#deleteBeyond(lane as AuditLane, count, { nowMs: now.getTime(), signal })
  }

  /**
   * Deletes the oldest records of a lane beyond a number. The count reads up to that number of
   * index entries. It is repeated after enough new records, and daily for other servers' records.
   */
  async #deleteBeyond(
    lane: AuditLane,
    maxRecords: number,
    { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    if (maxRecords === 0) {
      await this.#deleteBefore(laneTables[lane], timeOrderedIdFloor(new Date(nowMs)), {
        lane,
        signal,
      })
      return
    }
    const count = this.#counts.get(lane)
    const isRecent = count !== undefined && nowMs - count.countedAtMs < dayMs
    const mayExceed = (this.count(lane) ?? 0) > maxRecords
    if (isRecent && !(mayExceed && count.appended > maxRecords * recountShare)) return
    const ofLane = (db: Kysely<Tables>) =>
      db.selectFrom(laneTables[lane]).select('id').where('lane', '=', lane)
    const { records } = await this.#database.report((db) =>
      db
        .selectFrom(ofLane(db).limit(maxRecords).as('counted'))
        .select(({ fn }) => fn.countAll().as('records'))
        .executeTakeFirstOrThrow(),
    )
    this.#counts.set(lane, { counted: Number(records), countedAtMs: nowMs, appended: 0 })
    if (Number(records) < maxRecords) return
    const oldestKept = await this.#database.report((db) =>
      ofLane(db)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(maxRecords - 1)
        .executeTakeFirst(),
    )
    if (oldestKept) await this.#deleteBefore(laneTables[lane], oldestKept.id, { lane, signal })
  }

  /** Deletes in parts, each in a separate transaction. */
  async #deleteBefore(
    table: AuditTable,
    id: string,
    { lane, signal }: { readonly lane?: AuditLane; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    for (;;) {
      const { numDeletedRows } = await this.#database.write((db) =>
        db
          .deleteFrom(table)
          .where('id', 'in', (rows) =>
            rows
              .selectFrom(table)
              .select('id')
              .where('id', '<', id)
              .$if(lane !== undefined, (some) => some.where('lane', '=', lane ?? 'signIns'))
              .orderBy('id')
              .limit(rowsPerDeletion),
          )
          .executeTakeFirst(),
      )
      if (numDeletedRows < rowsPerDeletion) return
      signal?.throwIfAborted()
    }
  }
}
