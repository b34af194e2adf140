// Folder: The pages with their forms.

import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { auditPage, keyState } from '../graph/management-views.ts'
import { applicationPath } from '../layout/application-page.ts'
import { page } from '../layout/page.ts'
import type { PageRow } from '../layout/page-row.ts'
import { copyable, facts, mark, table, time } from '../layout/parts.ts'
import { optional, remedyOf } from '../layout/refusals.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const soonDays = 30
const maxShownCredentials = 20

const endingCredential = z.object({
  kind: z.enum(['secret', 'certificate']),
  displayName: z.string().nullable(),
  endDateTime: z.iso.datetime().transform((text) => new Date(text)),
  appId: z.string(),
  applicationName: z.string(),
})

async function overview(request: AdministratorRequest): Promise<Response> {
  const { tenantId } = request.session
  const { authUrl } = request.host
  const { v1, v2 } = request.host.issuersOf(tenantId)
  const [keys, ending, refusals] = await Promise.all([
    optional(request, keyTable(request)),
    optional(request, endingTable(request)),
    optional(request, refusalTable(request)),
  ])
  return page(request, {
    title: 'Overview',
    content: html`<div class="cards">
<section class="across"><h2>This identity provider</h2>
${facts([
  ['Tenant', request.tenantName],
  ['Tenant ID', copyable(tenantId)],
  ['Authority', copyable(`${authUrl}/${tenantId}`)],
  ['Token endpoint', copyable(`${authUrl}/${tenantId}/oauth2/v2.0/token`)],
  ['Key set', copyable(`${authUrl}/${tenantId}/discovery/keys`)],
  ['Discovery', copyable(`${authUrl}/${tenantId}/v2.0/.well-known/openid-configuration`)],
  ['Issuer of v1.0 tokens', copyable(v1)],
  ['Issuer of v2.0 tokens', copyable(v2)],
  ['Microsoft Graph', copyable(`${authUrl}/v1.0`)],
])}</section>
<section><h2>Signing keys</h2>${keys}<p><a href="/portal/keys">All keys</a></p></section>
<section><h2>Secrets and certificates that end soon</h2><p><small>Within ${soonDays} days, or in the last ${soonDays} days.</small></p>${ending}</section>
<section class="across"><h2>Refused in the last hour</h2>${refusals}<p><a href="/portal/logs">Logs</a></p></section>
</div>`,
  })
}

async function keyTable({ management, now }: AdministratorRequest) {
  const states = await management.list('/keys', keyState)
  return table(
    'Signing keys',
    ['Key ID', 'Phase', 'Phase ends'],
    states.map(({ kid, phase, untilDateTime }) => [
      html`<code>${kid.slice(0, 12)}…</code>`,
      mark(phase === 'active' ? 'good' : 'plain', phase),
      time(untilDateTime, now, 'no end planned'),
    ]),
    'There is no signing key.',
  )
}

async function endingTable({ management, now }: AdministratorRequest) {
  const query = new URLSearchParams({
    from: new Date(now.getTime() - soonDays * dayMs).toISOString(),
    to: new Date(now.getTime() + soonDays * dayMs).toISOString(),
    limit: String(maxShownCredentials),
  })
  const rows = await management.list(`/credentials?${query}`, endingCredential)
  return html`${table(
    'Credentials that end soon',
    ['Application', 'Credential', 'End'],
    rows.map(({ appId, applicationName, displayName, kind, endDateTime }) => [
      html`<a href="${applicationPath(appId, 'Certificates & secrets')}">${applicationName}</a>`,
      `${kind} ${displayName ?? ''}`,
      html`${mark(endDateTime <= now ? 'bad' : 'warn', endDateTime <= now ? 'ended' : 'ends')} ${time(endDateTime, now)}`,
    ]),
    'None.',
  )}${rows.length === maxShownCredentials && html`<p><small>These are the first ${maxShownCredentials}. The metrics of the server count all.</small></p>`}`
}

async function refusalTable(request: AdministratorRequest) {
  const { management, now } = request
  const from = new Date(now.getTime() - hourMs).toISOString()
  const { value, next } = await management.get(
    `/audit?log=signIns&outcome=refused&limit=200&from=${encodeURIComponent(from)}`,
    auditPage,
  )
  const reasons = [...Map.groupBy(value, ({ reason }) => reason ?? 'unknown')].toSorted(
    ([, one], [, other]) => other.length - one.length,
  )
  return html`${table(
    'Refusals of the last hour',
    ['Reason', 'Times', 'Remedy'],
    reasons.map(([reason, records]) => [
      html`<a href="/portal/logs?log=sign-ins&outcome=refused&reason=${reason}"><code>${reason}</code></a>`,
      String(records.length),
      remedyOf(reason, request),
    ]),
    'Nothing was refused.',
  )}${next !== null && html`<p><small>Counted: the last ${value.length} refusals.</small></p>`}`
}

export const overviewPage: PageRow = {
  path: '/portal',
  section: 'Overview',
  show: overview,
}
