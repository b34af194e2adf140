import type { AuditLane, AuditRecord } from '@greeting/directory/audit'

/** `changes` of the directory and the keys, and the lanes of the other records. */
export type ExportLane = AuditLane | 'changes'

/** A record that is sent to other log stores. */
export type ExportedRecord = {
  /** The GUID of this run of the server. With the number, it tells a record that arrives twice. */
  readonly run: string
  /** Counted from 1 in each run. A gap is a loss. */
  readonly number: number
  readonly lane: ExportLane
  readonly record: AuditRecord
}

/** The maximum number of characters of a text, as in the tables. */
const maxTextLength = 256

/** The members of a record, each limited in length. */
export function membersOf({ run, number, lane, record }: ExportedRecord) {
  const { at, blueprintId } = record
  return {
    run,
    number,
    lane,
    at: at.toISOString(),
    tenantId: limited(record.tenantId),
    actor: limited(record.actor),
    action: limited(record.action),
    target: limited(record.target),
    outcome: record.outcome,
    reason: limited(record.reason),
    correlationId: limited(record.correlationId),
    ...(blueprintId !== undefined && { blueprintId }),
  }
}

/** The records as JSON, one on each line. */
export const linesOf = (records: readonly ExportedRecord[]): string =>
  records.map((one) => `${JSON.stringify(membersOf(one))}\n`).join('')

const limited = (text: string | null) => text?.slice(0, maxTextLength) ?? null
