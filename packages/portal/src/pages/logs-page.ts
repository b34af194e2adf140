import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { applicationNames } from '../graph/applications.ts'
import { type AuditView, auditPage } from '../graph/management-views.ts'
import { applicationPath } from '../layout/application-page.ts'
import { choice, field } from '../layout/form.ts'
import { page, pageHeaders } from '../layout/page.ts'
import type { PageRow } from '../layout/page-row.ts'
import type { Html } from '../layout/parts.ts'
import { mark, table, time } from '../layout/parts.ts'
import { remedyOf } from '../layout/refusals.ts'

const path = '/portal/logs'
const pageSize = 50
const exportPageSize = 1000
const maxExportedRecords = 100_000

/** The filters of the form, by their names in the management API. */
const filters = [
  { name: 'actor', label: 'Actor: application ID' },
  { name: 'action', label: 'Action' },
  { name: 'target', label: 'Target: ID' },
  { name: 'reason', label: 'Reason' },
  { name: 'correlationId', label: 'Correlation ID' },
] as const

const logs = { 'sign-ins': 'signIns', directory: 'directory' } as const
const logOf = (text: string | undefined) => (text === 'directory' ? 'directory' : 'sign-ins')

type Query = { query(name: string): string | undefined }

/** The query of the page as a query of the management API. */
function auditQuery(req: Query, limit: number): URLSearchParams {
  const query = new URLSearchParams({ log: logs[logOf(req.query('log'))], limit: String(limit) })
  for (const name of [...filters.map((one) => one.name), 'outcome', 'from', 'to', 'before']) {
    const value = req.query(name)?.trim()
    if (value) query.set(name, value)
  }
  return query
}

const show: PageRow['show'] = async (request, { req }) => {
  const log = logOf(req.query('log'))
  const { value, next } = await request.management.get(
    `/audit?${auditQuery(req, pageSize)}`,
    auditPage,
  )
  const names = await applicationNames(
    request,
    value.flatMap(({ actor, target }) => [actor, target ?? '']),
  )
  const current = new URLSearchParams(req.query())
  const withQuery = (base: string, more: Record<string, string>) => {
    const query = new URLSearchParams(current)
    for (const [name, text] of Object.entries(more)) query.set(name, text)
    return `${base}?${query}`
  }
  return page(request, {
    title: 'Sign-in and audit log',
    content: html`<form method="get" action="${path}" class="bar">
${choice({
  name: 'log',
  label: 'Log',
  value: log,
  options: [
    { value: 'sign-ins', label: 'Sign-ins' },
    { value: 'directory', label: 'Changes' },
  ],
})}
${choice({
  name: 'outcome',
  label: 'Outcome',
  value: req.query('outcome'),
  options: [
    { value: '', label: 'all' },
    { value: 'done', label: 'done' },
    { value: 'refused', label: 'refused' },
  ],
})}
${filters.map(({ name, label }) => field({ name, label, value: req.query(name) ?? '', maxLength: 256 }))}
<button>Filter</button></form>
<p><a href="${withQuery(`${path}/export`, {})}">Export as JSON lines</a> · <a href="${path}?log=${log}">Remove the filters</a></p>
<p data-follow hidden><label><input type="checkbox" role="switch"> Follow</label></p>
<div data-followed>${table(
      'Records',
      ['Time', 'Outcome', 'Action', 'Reason and remedy', 'Actor', 'Target', 'Correlation ID'],
      value.map((one) => record(request, one, names, log)),
      'No record matches.',
    )}</div>
${next && html`<p><a href="${withQuery(path, { before: next })}" rel="next">Earlier records</a></p>`}`,
  })
}

function record(
  request: AdministratorRequest,
  { at, outcome, action, actor, target, reason, correlationId }: AuditView,
  names: ReadonlyMap<string, string>,
  log: string,
): Html[] {
  const named = (id: string | null): Html => {
    const name = id === null ? undefined : names.get(id)
    if (id === null) return ''
    if (name === undefined) return html`<small><code>${id}</code></small>`
    return html`<a href="${applicationPath(id)}">${name}</a><br><small><code>${id}</code></small>`
  }
  return [
    time(at, request.now),
    mark(outcome === 'done' ? 'good' : 'bad', outcome),
    html`<code>${action}</code>`,
    reason === null
      ? ''
      : html`<code>${reason}</code><br><small>${remedyOf(reason, request)}</small>`,
    named(actor),
    named(target),
    correlationId === null
      ? ''
      : html`<a href="${path}?${new URLSearchParams({ log, correlationId }).toString()}"><small><code>${correlationId}</code></small></a>`,
  ]
}

/** Sends the matching records, page by page, as JSON lines. */
const exportRecords: PageRow['show'] = async (request, { req }) => {
  const query = auditQuery(req, exportPageSize)
  const encoder = new TextEncoder()
  let count = 0
  const lines = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, next } = await request.management.get(`/audit?${query}`, auditPage)
      controller.enqueue(encoder.encode(value.map((one) => `${JSON.stringify(one)}\n`).join('')))
      count += value.length
      if (next === null || count >= maxExportedRecords) return controller.close()
      query.set('before', next)
    },
  })
  return new Response(lines, {
    headers: {
      ...pageHeaders,
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="${logOf(req.query('log'))}.jsonl"`,
    },
  })
}

export const logsPages: readonly PageRow[] = [
  { path, section: 'Logs', show },
  { path: `${path}/export`, section: 'Logs', show: exportRecords },
]
