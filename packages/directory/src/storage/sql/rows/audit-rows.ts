import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { AuditRecord } from '../../../audit/audit-record.ts'
import { insertRows } from './insert-rows.ts'
import { text } from './object-rows.ts'
import type { AuditRow, Tables } from './tables.ts'
import { timeOrderedId } from './time-ordered-id.ts'

export type AuditTable = 'directory_audit' | 'sign_in_audit'

const maxTextLength = 256

/** The records that one turn of the event loop prepares. */
const recordsPerTurn = 64

/**
 * Writes audit records in the transaction of the change that they record. Many records are written
 * in parts, so that the thread can issue tokens in between.
 */
export async function insertAudit(
  db: Transaction<Tables>,
  table: AuditTable,
  lane: AuditRow['lane'],
  records: readonly AuditRecord[],
): Promise<void> {
  for (let start = 0; start < records.length; start += recordsPerTurn) {
    if (start > 0) await nextTurn()
    const rows = records.slice(start, start + recordsPerTurn).map((one) => auditToRow(one, lane))
    await insertRows(db, table, rows, (some) => db.insertInto(table).values(some))
  }
}

const auditToRow = (record: AuditRecord, lane: AuditRow['lane']): AuditRow => ({
  id: timeOrderedId(record.at),
  at: text(record.at),
  tenant_id: storable(record.tenantId),
  actor: storable(record.actor),
  action: storable(record.action),
  target: storable(record.target),
  outcome: record.outcome,
  reason: storable(record.reason),
  correlation_id: storable(record.correlationId),
  blueprint_id: record.blueprintId ?? null,
  lane,
})

export const auditFromRow = (row: AuditRow): AuditRecord => ({
  at: new Date(row.at),
  tenantId: row.tenant_id,
  actor: row.actor,
  action: row.action,
  target: row.target,
  outcome: row.outcome as AuditRecord['outcome'],
  reason: row.reason,
  correlationId: row.correlation_id,
  ...(row.blueprint_id !== null && { blueprintId: row.blueprint_id }),
})

/** Limits a text that a request may choose. PostgreSQL stores no NUL. */
function storable<Text extends string | null>(value: Text): Text {
  if (value === null) return value
  return value.slice(0, maxTextLength).replaceAll('\0', '\ufffd') as Text
}
