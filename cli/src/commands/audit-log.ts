import { parseAnswer } from '@greeting/registrations/apply'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import type { GraphClient } from '../administrator/graph-client.ts'
import { durationMs, wholeSeconds } from '../text/time.ts'
import { textTable, visibleText } from '../text/visible-text.ts'

type Configure = (option: Option) => Option

const timeOption: Configure = (option) => option.argParser((text) => parseTime(text, Date.now()))
const textOption: Configure = (option) =>
  option.argParser((text) => {
    if (text.trim() === '') throw new InvalidArgumentError('It must not be empty')
    return text
  })
const outcomeOption: Configure = (option) => option.choices(['done', 'refused'])

type FilterRow = readonly [flags: string, description: string, configure?: Configure]

/** The options of the filters, by the parameter names of the management API. */
const filterRows: Readonly<Record<string, FilterRow>> = {
  from: [
    '--since <time>',
    'start time: 2026-01-31, 2026-01-31T12:00:00Z, or 6h for six hours ago',
    timeOption,
  ],
  to: ['--until <time>', 'end time, exclusive', timeOption],
  actor: ['--actor <id>', 'application ID of the client or administrator, or system'],
  action: ['--action <name>', 'action, such as token.issue or application.create'],
  target: ['--target <id>', 'ID of the changed object'],
  outcome: ['--outcome <outcome>', 'outcome', outcomeOption],
  reason: ['--reason <code>', 'code of the refusal'],
  correlationId: ['--correlation-id <id>', 'correlation ID from the response to the request'],
  tenantId: ['--tenant <id>', 'ID of the tenant'],
}

const optionOf = ([flags, description, configure = textOption]: FilterRow) =>
  configure(new Option(flags, description))

export function addAuditFilters(command: Command): Command {
  for (const row of Object.values(filterRows)) command.addOption(optionOf(row))
  return command
}

/** The filters of the options, by the parameter names of the management API. */
export function auditFilters(options: object): Record<string, string> {
  const values = options as Readonly<Record<string, string | Date | undefined>>
  const named = Object.entries(filterRows).flatMap(([parameter, row]) => {
    const value = values[optionOf(row).attributeName()]
    if (value === undefined) return []
    return [[parameter, value instanceof Date ? value.toISOString() : value]]
  })
  return Object.fromEntries(named)
}

const isoTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })])

/**
 * Parses a date in UTC, a time with its zone, or the age of a time such as 6h.
 *
 * @throws {InvalidArgumentError} commander.invalidArgument when it is none of them.
 */
export function parseTime(text: string, nowMs: number): Date {
  if (isoTime.safeParse(text).success) return new Date(text)
  try {
    return new Date(nowMs - durationMs(text))
  } catch {
    throw new InvalidArgumentError(
      'The time must have a form like 2026-01-31 or 2026-01-31T12:00:00Z, or be an age such as 30m, 6h or 7d (at most 24d)',
    )
  }
}

/** The two logs: their names in the command, and in the query parameter of the management API. */
export const auditLogs = { directory: 'directory', 'sign-ins': 'signIns' } as const

export type AuditLogName = keyof typeof auditLogs

/** A record: actor, action, target, time and outcome. */
const auditRecord = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  tenantId: z.string().nullable(),
  actor: z.string(),
  /** The blueprint of an agent. */
  blueprintId: z.string().optional(),
  action: z.string(),
  target: z.string().nullable(),
  outcome: z.string(),
  reason: z.string().nullable(),
  correlationId: z.string().nullable(),
})

export type AuditRecord = z.output<typeof auditRecord> & { readonly log: AuditLogName }

/** A page of a log, the latest record first. `next` leads to the earlier page. */
const auditPage = z.object({ value: z.array(auditRecord), next: z.string().nullable() })

const head = ['time', 'outcome', 'action', 'actor', 'target', 'reason', 'correlation id']

// Long enough for an ID. An unauthenticated client can send a longer name.
const maxCellCharacters = 64

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

/** A query. A record must match every filter. */
type AuditQuery = {
  readonly logs: readonly AuditLogName[]
  /** Filters by the parameter names of the management API. */
  readonly filters: Readonly<Record<string, string>>
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
    const part = { ...filters, log: auditLogs[log], limit: String(size) }
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
