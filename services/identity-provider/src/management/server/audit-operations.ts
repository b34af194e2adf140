import { z } from 'zod'
import type { AuditTrail } from '../../audit/audit-trail.ts'
import { dateTime, guid, text } from '../../directory/properties/forms.ts'
import { omitUndefined, parseBody } from '../body/parse-body.ts'
import type { ReadOperation } from '../operations/operation.ts'
import { readsAudit } from '../privileges/server-roles.ts'
import { refuse } from '../refusals/graph-error.ts'
import { pageLimit } from './page-limit.ts'

const auditQuery = z.strictObject({
  book: z.enum(['directory', 'signIns']).default('directory'),
  limit: pageLimit,
  tenantId: text().optional(),
  actor: text().optional(),
  action: text().optional(),
  target: text().optional(),
  outcome: z.enum(['done', 'refused']).optional(),
  reason: text().optional(),
  correlationId: text().optional(),
  from: dateTime.optional(),
  to: dateTime.optional(),
  before: guid.optional(),
})

/**
 * The parameters of a query.
 *
 * @throws {GraphError} graph_refusal query_invalid when a name occurs twice.
 */
export function singleValues(query: URLSearchParams): Readonly<Record<string, string>> {
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1) {
      throw refuse('query_invalid', `Query option '${name}' was specified more than once.`)
    }
  }
  return Object.fromEntries(query)
}

/** The audit log and the sign-in log of the whole server. */
export const auditOperations = (audit: Pick<AuditTrail, 'find'>): readonly ReadOperation[] => [
  {
    method: 'GET',
    path: '/audit',
    requires: readsAudit,
    summary: 'Lists the audit records that match the query, the latest first.',
    read: async ({ query }) => {
      const { book, limit, ...named } = parseBody(auditQuery, singleValues(query))
      const { records, next } = await audit.find({ book, limit, ...omitUndefined(named) })
      const value = records.map((record) => ({ ...record, at: record.at.toISOString() }))
      return { status: 200, body: { value, next } }
    },
  },
]
