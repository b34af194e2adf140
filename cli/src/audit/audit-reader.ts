import { parseAnswer } from '@greeting/registrations/apply'
import type { GraphClient } from '../administrator/graph-client.ts'
import { type AuditLogName, type AuditRecord, auditLogs, auditPage } from './audit-record.ts'

/** A query. A record must match every filter. */
export type AuditQuery = {
  readonly logs: readonly AuditLogName[]
  /** Filters by the parameter names of the management API. */
  readonly filters: Readonly<Record<string, string>>
  /** Maximum number of records. */
  readonly limit: number
}

// The maximum of the identity provider.
const maxPageRecords = 1000

type Reader = Pick<GraphClient, 'send'>

/** Reads both logs as one, the latest record first. It loads further pages on demand. */
export async function* readAudit(client: Reader, query: AuditQuery): AsyncGenerator<AuditRecord> {
  const readers = query.logs.map((log) => readLog(client, log, query))
  let heads: IteratorResult<AuditRecord, undefined>[] = []
  // Sequential: after one refusal, a second pending request would reject unhandled.
  for (const reader of readers) heads.push(await reader.next())
  for (let count = 0; count < query.limit; count += 1) {
    const latest = heads.flatMap(({ value }, index) => (value ? [{ value, index }] : []))
    // The IDs are ordered by time across both logs.
    const [first] = latest.toSorted((a, b) => (a.value.id < b.value.id ? 1 : -1))
    if (first === undefined) return
    yield first.value
    const next = await readers[first.index]?.next()
    heads = heads.map((head, index) => (index === first.index && next ? next : head))
  }
}

async function* readLog(
  client: Reader,
  log: AuditLogName,
  { filters, limit }: AuditQuery,
): AsyncGenerator<AuditRecord, undefined> {
  const request = { method: 'GET', path: '/audit' } as const
  const role = 'AuditLog.Read.All'
  let before: string | null = null
  let left = limit
  do {
    const size = Math.min(left, maxPageRecords)
    const part = { ...filters, book: auditLogs[log], limit: String(size) }
    const parameters = new URLSearchParams(before === null ? part : { ...part, before })
    const path = `${request.path}?${parameters}`
    const { body } = await client.send({ ...request, path, role, repeatable: true })
    const { value, next } = parseAnswer(request, auditPage, body)
    for (const record of value) yield { log, ...record }
    left -= value.length
    before = next
  } while (before !== null && left > 0)
  return undefined
}
