import type { AuditRecord } from '../audit-record.ts'
import type {
  AuditLane,
  AuditLimits,
  AuditLogName,
  AuditPage,
  AuditQuery,
  AuditTrail,
} from '../audit-trail.ts'
import { type AuditTable, auditFromRow, insertAudit } from './audit-rows.ts'
import type { SqlDatabase } from './sql-database.ts'
import { timeOrderedIdFloor } from './time-ordered-id.ts'

const tables: Readonly<Record<AuditLogName, AuditTable>> = {
  directory: 'directory_audit',
  signIns: 'sign_in_audit',
}
const laneTables: Readonly<Record<AuditLane, AuditTable>> = {
  signIns: 'sign_in_audit',
  unauthenticated: 'sign_in_audit',
  refusedChanges: 'directory_audit',
}
const equalities = {
  tenantId: 'tenant_id',
  actor: 'actor',
  action: 'action',
  target: 'target',
  outcome: 'outcome',
  reason: 'reason',
  correlationId: 'correlation_id',
} as const
const rowsPerDeletion = 5000
const dayMs = 86_400_000

/** The audit in a database. */
export class SqlAuditTrail implements AuditTrail {
  readonly #database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  append(lane: AuditLane, records: readonly AuditRecord[]): Promise<void> {
    return this.#database.write((db) => insertAudit(db, laneTables[lane], lane, records))
  }

  async find(query: AuditQuery): Promise<AuditPage> {
    const rows = await this.#database.ask((db) => {
      let found = db.selectFrom(tables[query.book]).selectAll()
      for (const [name, column] of Object.entries(equalities)) {
        const value = query[name as keyof typeof equalities]
        if (value === undefined) continue
        found = value === null ? found.where(column, 'is', null) : found.where(column, '=', value)
      }
      if (query.from) found = found.where('id', '>=', timeOrderedIdFloor(query.from))
      if (query.to) found = found.where('id', '<', timeOrderedIdFloor(query.to))
      if (query.before !== undefined) found = found.where('id', '<', query.before)
      return found
        .orderBy('id', 'desc')
        .limit(query.limit + 1)
        .execute()
    })
    const page = rows.slice(0, query.limit)
    return {
      records: page.map((row) => ({ id: row.id, ...auditFromRow(row) })),
      next: rows.length > page.length ? (page.at(-1)?.id ?? null) : null,
    }
  }

  async prune({ directoryDays, signInDays, records }: AuditLimits, now: Date): Promise<void> {
    const daysAgo = (days: number) => timeOrderedIdFloor(new Date(now.getTime() - days * dayMs))
    await this.#deleteBefore('directory_audit', daysAgo(directoryDays))
    await this.#deleteBefore('sign_in_audit', daysAgo(signInDays))
    for (const [lane, count] of Object.entries(records))
      await this.#deleteBeyond(lane as AuditLane, count)
  }

  async #deleteBeyond(lane: AuditLane, count: number): Promise<void> {
    const oldestKept = await this.#database.ask((db) =>
      db
        .selectFrom(laneTables[lane])
        .select('id')
        .where('lane', '=', lane)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(count - 1)
        .executeTakeFirst(),
    )
    if (oldestKept) await this.#deleteBefore(laneTables[lane], oldestKept.id, lane)
  }

  // In parts, so that nobody who writes waits long.
  async #deleteBefore(table: AuditTable, id: string, lane?: AuditLane): Promise<void> {
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
    }
  }
}
