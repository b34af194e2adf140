import { z } from 'zod'
import { textTable } from '../text/text-table.ts'
import { wholeSeconds } from '../text/time.ts'
import { visibleText } from '../text/visible-text.ts'

/** The two logs: their names in the command, and in the query parameter of the management API. */
export const auditLogs = { directory: 'directory', 'sign-ins': 'signIns' } as const

export type AuditLogName = keyof typeof auditLogs

/** A record: actor, action, target, time and outcome. */
const auditRecord = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  tenantId: z.string().nullable(),
  actor: z.string(),
  action: z.string(),
  target: z.string().nullable(),
  outcome: z.string(),
  reason: z.string().nullable(),
  correlationId: z.string().nullable(),
})

/** A record with the name of its log. */
export type AuditRecord = z.output<typeof auditRecord> & { readonly log: AuditLogName }

/** A page of a log, the latest record first. `next` leads to the earlier page. */
export const auditPage = z.object({ value: z.array(auditRecord), next: z.string().nullable() })

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
