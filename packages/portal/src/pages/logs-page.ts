import { GraphRefusalError } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import { z } from 'zod'
import { ActionFault, type AdministratorRequest } from '../graph/administrator-request.ts'
import { findId } from '../graph/applications.ts'
import { auditHours, auditPage } from '../graph/management-views.ts'
import { namesInRecords } from '../graph/names.ts'
import { choice, field, hiddenFields } from '../layout/form.ts'
import { logOf, logs, logsPath as path, recordTable, timeline } from '../layout/log-records.ts'
import { page, pageHeaders } from '../layout/page.ts'
import type { PageRow } from '../layout/page-row.ts'
import { linkList } from '../layout/parts.ts'
import { showRecord } from './record-page.ts'

const pageSize = 50
const exportPageSize = 1000
const maxExportedRecords = 100_000

/** The filters of the form, by their names in the management API. */
const filters = [
  { name: 'actor', label: 'Client or administrator', help: 'Name or application ID' },
  { name: 'action', label: 'Action', help: 'For example token.issue' },
  { name: 'target', label: 'Target', help: 'Name or ID' },
  { name: 'reason', label: 'Reason', help: 'For example secret_wrong' },
  { name: 'correlationId', label: 'Correlation ID' },
  { name: 'from', label: 'From' },
  { name: 'to', label: 'To' },
] as const

type Query = { query(name: string): string | undefined; query(): Record<string, string> }

/** Successful sign-ins to the portal are left out, unless the query is about them. */
const portalSignIns = (req: Query) =>
  req.query('portal') || req.query('action') || req.query('correlationId') ? 'shown' : 'hidden'

/** The query of the page as a query of the management API, where a name stands for its ID. */
async function auditQuery(request: AdministratorRequest, req: Query, limit: number) {
  const query = new URLSearchParams({
    log: logs[logOf(req.query('log'))],
    limit: String(limit),
    portalSignIns: portalSignIns(req),
  })
  for (const name of [...filters.map((one) => one.name), 'outcome', 'before']) {
    const value = req.query(name)?.trim()
    if (!value) continue
    const isName = name === 'actor' || name === 'target'
    query.set(name, isName ? await idOf(request, value) : value)
  }
  return query
}

/** The ID of the only application with a name; otherwise the unchanged text. */
async function idOf(request: AdministratorRequest, text: string): Promise<string> {
  if (z.guid().safeParse(text).success) return text
  try {
    return await findId(request, text)
  } catch (cause) {
    const mayNotRead = cause instanceof GraphRefusalError && cause.status === 403
    if (cause instanceof ActionFault || mayNotRead) return text
    throw cause
  }
}

const show: PageRow['show'] = async (request, { req }) => {
  const log = logOf(req.query('log'))
  const query = await auditQuery(request, req, pageSize)
  // The day is counted once, and not again for each update of a page that follows.
  const isUpdate = req.header('portal-part') === 'followed'
  const ofDay = `/audit/hours?log=${logs[log]}&portalSignIns=${query.get('portalSignIns')}`
  const [{ value, next }, day] = await Promise.all([
    request.management.get(`/audit?${query}`, auditPage),
    isUpdate ? undefined : request.management.get(ofDay, auditHours),
  ])
  const names = await namesInRecords(request, value)
  /** The page with some of its parameters changed. Without a value, a parameter is removed. */
  const withQuery = (changes: Readonly<Record<string, string>>, base = path) => {
    const { before: _, ...current } = req.query()
    const set = Object.entries({ ...current, ...changes }).filter(([, text]) => text.trim() !== '')
    return `${base}?${new URLSearchParams(set)}`
  }
  const isSet = ({ name }: { readonly name: string }) => Boolean(req.query(name)?.trim())
  const shownFilters = [
    ...filters,
    { name: 'outcome', label: 'Outcome' },
    { name: 'portal', label: 'Sign-ins to the portal' },
  ].filter(isSet)
  const isHidden = log === 'sign-ins' && query.get('portalSignIns') === 'hidden'
  return page(request, {
    title: 'Sign-in and audit logs',
    content: html`${linkList(
      'Log',
      'tabs',
      [
        { name: 'Sign-ins', path },
        { name: 'Changes', path: `${path}?log=directory` },
      ],
      log === 'sign-ins' ? 'Sign-ins' : 'Changes',
    )}
<div class="buttons">${shownFilters.map(({ name, label }) => html`<a role="button" class="secondary" href="${withQuery({ [name]: '' })}" aria-label="Remove ${label}: ${req.query(name)}">${label}: ${req.query(name)} ✕</a>`)}
<details><summary>Filter</summary><form method="get" action="${path}" class="bar">${hiddenFields({ log, portal: req.query('portal') ?? '' })}
${choice({
  name: 'outcome',
  label: 'Outcome',
  value: req.query('outcome'),
  options: ['', 'done', 'refused'].map((value) => ({ value, label: value || 'all' })),
})}
${filters.map((one) => field({ ...one, value: req.query(one.name) ?? '', maxLength: 256 }))}
<button>Filter the log</button></form></details>
${isHidden && html`<a href="${withQuery({ portal: 'shown' })}">Show successful sign-ins to the portal</a>`}
<a href="${withQuery({}, `${path}/export`)}">Export as JSON Lines</a>
<span data-follow hidden><label><input type="checkbox" role="switch"> Follow</label></span></div>
${day && timeline(day.value, (from, to) => withQuery({ from, to }))}
<div data-followed>${recordTable(
      request,
      value.map((one) => ({ ...one, log })),
      names,
      `No record matches${next ? ' among those that were read.' : '.'}`,
    )}
${next && html`<p><a href="${withQuery({ before: next })}" rel="next">Earlier records</a></p>`}</div>`,
  })
}

/** Sends the matching records, page by page, as JSON lines. */
const exportRecords: PageRow['show'] = async (request, { req }) => {
  const query = await auditQuery(request, req, exportPageSize)
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
  { path: `${path}/:log/:id`, section: 'Logs', show: showRecord },
]
