import type { CompiledQuery, DialectAdapter, Transaction } from 'kysely'
import type { AuditRecord } from '../audit-record.ts'
import { text } from './object-rows.ts'
import type { AuditRow, Tables } from './tables.ts'
import { timeOrderedId } from './time-ordered-id.ts'

export type AuditTable = 'directory_audit' | 'sign_in_audit'

/** The maximum number of characters of a stored text. */
const maxTextLength = 256
const rowsPerStatement = 100

/** Compiled statements by table and number of rows. Issuing repeats the same ones. */
const prepared = new WeakMap<DialectAdapter, Map<string, CompiledQuery>>()

/** Writes audit records in the transaction of the change that they record. */
export async function insertAudit(
  db: Transaction<Tables>,
  table: AuditTable,
  lane: AuditRow['lane'],
  records: readonly AuditRecord[],
): Promise<void> {
  for (let start = 0; start < records.length; start += rowsPerStatement) {
    const rows = records.slice(start, start + rowsPerStatement).map((one) => auditToRow(one, lane))
    const parameters = rows.flatMap((row) => Object.values(row))
    await db.executeQuery({ ...statementFor(db, table, rows), parameters })
  }
}

/** The statement for a number of rows. To compile it costs more than to run it. */
function statementFor(
  db: Transaction<Tables>,
  table: AuditTable,
  rows: readonly AuditRow[],
): CompiledQuery {
  const { adapter } = db.getExecutor()
  const statements = prepared.get(adapter) ?? new Map<string, CompiledQuery>()
  prepared.set(adapter, statements)
  const name = `${table} ${rows.length}`
  const known = statements.get(name)
  if (known !== undefined) return known
  const statement = db.insertInto(table).values(rows).compile()
  statements.set(name, statement)
  return statement
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
})

/** Limits a text that a request may choose. PostgreSQL stores no NUL. */
function storable<Text extends string | null>(value: Text): Text {
  if (value === null) return value
  return value.slice(0, maxTextLength).replaceAll('\0', '\ufffd') as Text
}
