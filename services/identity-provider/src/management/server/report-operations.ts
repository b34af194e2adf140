import type { AuditTrail, FindEndingCredentials } from '@greeting/directory/audit'
import { dateTime, guid, text } from '@greeting/directory/forms'
import { z } from 'zod'
import { omitUndefined, parseBody } from '../body/parse-body.ts'
import { operation, type ReadOperation } from '../operations/operation.ts'
import { readsAudit } from '../privileges/server-roles.ts'
import { refuse } from '../refusals/graph-error.ts'

const defaultLimit = 100
const maxLimit = 1000

/** The query parameter `limit` of a list: 1 to 1000, by default 100. */
const pageLimit = z
  .string()
  .refine((limit) => /^[1-9]\d{0,3}$/.test(limit) && Number(limit) <= maxLimit, {
    error: `must be a number from 1 to ${maxLimit}`,
  })
  .transform(Number)
  .default(defaultLimit)

const logQuery = z.strictObject({
  log: z.enum(['directory', 'signIns']).default('directory'),
  /** The successful ones, which can be most of a quiet log. */
  portalSignIns: z.enum(['shown', 'hidden']).default('shown'),
})

const exceptions = {
  shown: {},
  hidden: { exceptDone: ['portal.signIn', 'portal.confirm'] },
} as const

const shownHours = 24
const hourMs = 3_600_000

const auditQuery = logQuery.extend({
  limit: pageLimit,
  id: guid.optional(),
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
function singleValues(query: URLSearchParams): Readonly<Record<string, string>> {
  for (const name of new Set(query.keys())) {
    if (query.getAll(name).length > 1)
      throw refuse('query_invalid', `Query option '${name}' was specified more than once.`)
  }
  return Object.fromEntries(query)
}

/** The operations on the audit log and the sign-in log of the whole server. */
export const auditOperations = (
  audit: Pick<AuditTrail, 'find' | 'countHours'>,
): readonly ReadOperation[] => [
  operation('GET /audit', readsAudit, {
    summary: 'Lists the audit records that match the query, the latest first.',
    read: async ({ query }) => {
      const { log, limit, portalSignIns, ...named } = parseBody(auditQuery, singleValues(query))
      const { records, next } = await audit.find({
        log,
        limit,
        ...exceptions[portalSignIns],
        ...omitUndefined(named),
      })
      const value = records.map((record) => ({ ...record, at: record.at.toISOString() }))
      return { status: 200, body: { value, next } }
    },
  }),
  operation('GET /audit/hours', readsAudit, {
    summary: 'Counts the audit records of the last 24 hours, by hour (UTC) and outcome.',
    read: async ({ query, runtime }) => {
      const { log, portalSignIns } = parseBody(logQuery, singleValues(query))
      const hour = Math.floor(runtime.now().getTime() / hourMs) - shownHours + 1
      const from = new Date(hour * hourMs)
      const found = await audit.countHours({ log, ...exceptions[portalSignIns] }, from, shownHours)
      const value = found.map(({ from, ...counts }) => ({ from: from.toISOString(), ...counts }))
      return { status: 200, body: { value } }
    },
  }),
]

const credentialsQuery = z.strictObject({ from: dateTime, to: dateTime, limit: pageLimit })

/** The operation that lists expiring credentials. Microsoft Graph has them in a beta report. */
export const credentialOperations = (find: FindEndingCredentials): readonly ReadOperation[] => [
  operation('GET /credentials', readsAudit, {
    summary:
      "Lists the secrets and certificates of the caller's tenant that end between `from` and `to`, the first end first.",
    read: async ({ caller, query }) => {
      const { from, to, limit } = parseBody(credentialsQuery, singleValues(query))
      const found = await find(caller.tenantId, from, to, limit)
      const value = found.map((one) => ({ ...one, endDateTime: one.endDateTime.toISOString() }))
      return { status: 200, body: { value } }
    },
  }),
]
