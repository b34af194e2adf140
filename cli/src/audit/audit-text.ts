import { second } from '../text/second.ts'
import { textTable } from '../text/text-table.ts'
import { visibleText } from '../text/visible-text.ts'
import type { AuditRecord } from './audit-record.ts'

const head = ['time', 'outcome', 'action', 'actor', 'target', 'reason', 'correlation id']

// An id fits; what a stranger claimed to be may be as long as the stranger likes.
const longestCell = 64

/** Records as a table for a person. */
export function auditText(records: readonly AuditRecord[]): string {
  const rows = records.map(
    ({ at, outcome, action, actor, target, reason, correlationId }): readonly string[] =>
      [second(at), outcome, action, actor, target, reason, correlationId].map(cell),
  )
  return textTable(head, rows)
}

function cell(text: string | null): string {
  const seen = visibleText(text ?? '')
  return seen.length > longestCell ? `${seen.slice(0, longestCell - 1)}…` : seen
}
