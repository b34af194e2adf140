import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { type AuditView, auditPage } from '../graph/management-views.ts'
import { namesInRecords } from '../graph/names.ts'
import { applicationPath, type Tab } from '../layout/application-page.ts'
import {
  inWords,
  type LogName,
  logOf,
  logs,
  logsPath,
  party,
  recordTable,
  targetOf,
} from '../layout/log-records.ts'
import { page } from '../layout/page.ts'
import type { PageRow } from '../layout/page-row.ts'
import { copyable, facts, type Html, time } from '../layout/parts.ts'
import { errorPath, optional, plainPage, remedyOf } from '../layout/refusals.ts'
import { preview } from '../layout/token-parts.ts'

const aroundMs = 5 * 60_000
const maxAround = 20

/** The page of a client where the cause of a refusal is removed. */
function repairTab(reason: string): Tab {
  if (/^(secret|assertion|federated)_/.test(reason)) return 'Certificates & secrets'
  if (/^agent_/.test(reason)) return 'Agents'
  return reason === 'role_required' ? 'API permissions' : 'Overview'
}

/** The whole story of a record: the request, the decision, the token, and the records around it. */
export const showRecord: PageRow['show'] = async (request, { req }) => {
  const log = logOf(req.param('log'))
  const query = new URLSearchParams({ log: logs[log], id: req.param('id') ?? '', limit: '1' })
  const [record] = (await request.management.get(`/audit?${query}`, auditPage)).value
  if (record === undefined) {
    const sentence = 'The log has no such record. Old records are deleted.'
    return plainPage('Not found', sentence, 404, request)
  }
  const around = await recordsAround(request, record, log)
  const names = await namesInRecords(request, [record, ...around])
  const { outcome, reason, action, actor, blueprintId, target, tenantId, correlationId } = record
  const client = names.get(actor)
  const tab = repairTab(reason ?? '')
  // The blueprint of an agent has its credentials.
  const repaired = (tab === 'Certificates & secrets' && names.get(blueprintId ?? '')) || client
  const isForAgent = Boolean(names.get(target ?? '')?.agentIdentityBlueprintId)
  const isToken = action === 'token.issue' && tenantId === request.session.tenantId && !isForAgent
  return page(request, {
    title: `${inWords(action)} · ${outcome}`,
    trail: [{ name: 'Logs', path: `${logsPath}?log=${log}` }],
    content: html`<section class="verdict ${outcome === 'done' ? 'good' : 'bad'}"><p>${party(actor, names)}${targetOf(record, names)}: ${inWords(action)}, ${outcome}. ${reason && html`<strong>${inWords(reason)}.</strong> ${remedyOf(reason, request)}`}</p>
${reason && repaired && html`<div><a role="button" class="primary" href="${applicationPath(repaired.appId, tab)}">Open ${tab}</a></div>`}</section>
<h2>The request</h2>
${facts([
  ['Time', html`${time(record.at, request.now)} <code>${record.at.toISOString()}</code>`],
  ['Action', html`<code>${action}</code>`],
  ['By', html`${client && party(actor, names)} ${copyable(actor)}`],
  blueprintId
    ? ['Blueprint', html`${party(blueprintId, names)} ${copyable(blueprintId)}`]
    : undefined,
  [
    'Target',
    target === null
      ? 'none'
      : html`${names.has(target) && party(target, names)} ${copyable(target)}`,
  ],
  ['Tenant', tenantId === null ? 'the whole server' : copyable(tenantId)],
  ['Correlation ID', correlationId === null ? 'none' : copyable(correlationId)],
  ['Reason', reason === null ? 'none' : reasonText(request, reason)],
])}
${
  isToken &&
  outcome === 'done' &&
  target !== null &&
  html`<h2>The token</h2><p>The log keeps no token. This is what the client would get now.</p>
${await optional<Html>(request, preview(request, actor, target), (sentence) => sentence)}`
}
<h2>Related records</h2>
<p>Records of the same request or the same actor, and changes in the tenant, from 5 minutes before to 5 minutes after.</p>
${recordTable(request, around, names, 'There are no other records.')}`,
  })
}

const reasonText = ({ host }: AdministratorRequest, reason: string): Html => {
  const code = host.refusals.get(reason)?.code
  return html`<code>${reason}</code>${code && html` <a href="${errorPath(code)}">AADSTS${code}</a>`}`
}

/** The other records of the request, of the actor and of the tenant, some minutes before and after. */
async function recordsAround(
  { management }: AdministratorRequest,
  { id, at, actor, target, tenantId, correlationId }: AuditView,
  log: LogName,
) {
  const [from, to] = [-aroundMs, aroundMs].map((ms) => new Date(at.getTime() + ms).toISOString())
  const conditions: readonly (readonly [LogName, string, string | null])[] = [
    [log, 'actor', actor],
    [log, 'target', log === 'directory' ? target : null],
    ['sign-ins', 'correlationId', correlationId],
    ['directory', 'correlationId', correlationId],
    ['directory', 'tenantId', tenantId],
  ]
  const pages = await Promise.all(
    conditions.map(async ([name, filter, value]) => {
      if (value === null) return []
      const time = { from: from ?? '', to: to ?? '', limit: String(maxAround) }
      const query = new URLSearchParams({ log: logs[name], [filter]: value, ...time })
      const found = await management.get(`/audit?${query}`, auditPage)
      return found.value.map((one) => ({ ...one, log: name }))
    }),
  )
  const byId = new Map(pages.flat().map((one) => [one.id, one]))
  byId.delete(id)
  return [...byId.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1))
}
