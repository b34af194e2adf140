import { textTable } from '../text/text-table.ts'
import { wholeSeconds } from '../text/time.ts'
import { visibleText } from '../text/visible-text.ts'
import type { AuditRecord } from './audit-record.ts'

const head = ['time', 'outcome', 'action', 'actor', 'target', 'reason', 'correlation id']

// Long enough for an ID. An unauthenticated client can send a longer name.
const maxCellCharacters = 64

/** A table of records. */
export function auditText(records: readonly AuditRecord[]): string {
  const rows = records.map(
    ({ at, outcome, action, actor, target, reason, correlationId }): readonly string[] =>
      [wholeSeconds(at), outcome, action, actor, target, reason, correlationId].map(cell),
  )
  return textTable(head, rows)
}

function cell(text: string | null): string {
  const seen = visibleText(text ?? '')
  return seen.length > maxCellCharacters ? `${seen.slice(0, maxCellCharacters - 1)}…` : seen
}
