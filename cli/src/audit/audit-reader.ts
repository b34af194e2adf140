import { type GraphClient, parseAnswer } from '../administrator/graph-client.ts'
import { type AuditBook, type AuditRecord, auditBooks, auditPage } from './audit-record.ts'

/** What of the audit is asked for: records in which everything that is named is so. */
export type AuditQuery = {
  readonly books: readonly AuditBook[]
  /** Filters, by the names that the management API gives them. */
  readonly filters: Readonly<Record<string, string>>
  /** At most so many records. */
  readonly limit: number
}

// The identity provider gives no more at once.
const longestPage = 1000

type Reader = Pick<GraphClient, 'send'>

/** Reads the books of the audit as one, the latest record first, page by page as it is asked on. */
export async function* readAudit(client: Reader, query: AuditQuery): AsyncGenerator<AuditRecord> {
  const readers = query.books.map((book) => readBook(client, book, query))
  let heads: IteratorResult<AuditRecord, undefined>[] = []
  // One after the other: were one refused, nobody would hear of the other.
  for (const reader of readers) heads.push(await reader.next())
  for (let count = 0; count < query.limit; count += 1) {
    const latest = heads.flatMap(({ value }, index) => (value ? [{ value, index }] : []))
    // The ids are ordered by time, across both books.
    const [first] = latest.toSorted((a, b) => (a.value.id < b.value.id ? 1 : -1))
    if (first === undefined) return
    yield first.value
    const next = await readers[first.index]?.next()
    heads = heads.map((head, index) => (index === first.index && next ? next : head))
  }
}

async function* readBook(
  client: Reader,
  book: AuditBook,
  { filters, limit }: AuditQuery,
): AsyncGenerator<AuditRecord, undefined> {
  const line = { method: 'GET', path: '/audit' } as const
  const role = 'AuditLog.Read.All'
  let before: string | null = null
  let left = limit
  do {
    const size = Math.min(left, longestPage)
    const part = { ...filters, book: auditBooks[book], limit: String(size) }
    const asked = new URLSearchParams(before === null ? part : { ...part, before })
    const path = `${line.path}?${asked}`
    const { body } = await client.send({ ...line, path, role, repeatable: true })
    const { value, next } = parseAnswer(line, auditPage, body)
    for (const record of value) yield { book, ...record }
    left -= value.length
    before = next
  } while (before !== null && left > 0)
  return undefined
}
