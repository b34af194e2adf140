// Folder: The pages with their forms.

import { html } from 'hono/html'
import { z } from 'zod'
import { ActionFault, type AdministratorRequest } from '../graph/administrator-request.ts'
import { clientStates, hasUri, listApplications, namesOf } from '../graph/application-list.ts'
import { explanationsOf, findId, isApi, UnclearName } from '../graph/applications.ts'
import { auditPage, keyState } from '../graph/management-views.ts'
import { applicationNames } from '../graph/names.ts'
import { applicationPath } from '../layout/application-page.ts'
import { candidateLinks, picker } from '../layout/form.ts'
import { inWords, logsPath } from '../layout/log-records.ts'
import { page } from '../layout/page.ts'
import type { PageRow } from '../layout/page-row.ts'
import {
  capitalized,
  copyable,
  empty,
  facts,
  type Html,
  mark,
  table,
  time,
} from '../layout/parts.ts'
import { optional, remedyOf } from '../layout/refusals.ts'
import { verdict } from '../layout/verdict.ts'
import { newApiLink } from './registration.ts'

const path = '/portal'
const dayMs = 86_400_000
const hourMs = 3_600_000
const soonDays = 30
/** The most that is read and counted of each cause, and shown of it. */
const most = { refusals: 200, credentials: 20, clients: 50, apis: 100 }
const maxRows = 10

const endingCredential = z.object({
  kind: z.enum(['secret', 'certificate']),
  displayName: z.string().nullable(),
  endDateTime: z.iso.datetime().transform((text) => new Date(text)),
  appId: z.string(),
  applicationName: z.string(),
})

const person = z.object({ displayName: z.string(), userPrincipalName: z.string() })

/** One thing that is wrong with an application; a client that is not registered has no name. */
type Concern = {
  readonly appId: string
  readonly name: string | undefined
  /** The state, its reason, its repair and its time. */
  readonly line: Html
  /** The path and the words of the link to its repair. */
  readonly next: readonly [path: string, text: string]
}

const link = (path: string, text: string, noun: Html = '') =>
  html`<a href="${path}">${text}${noun && html`<span class="read"> ${noun}</span>`}</a>`

/** One row for each application, with all that is wrong with it. */
const rowsOf = (concerns: readonly Concern[]) =>
  [...Map.groupBy(concerns, ({ appId, name }) => name && appId).values()].map((group) => {
    const [{ appId = '', name = '', next = ['', ''] as const } = {}] = group
    return [
      name ? link(applicationPath(appId), name) : 'unknown client',
      group.map(({ line }) => html`<div>${line}</div>`),
      name && link(...next, `of ${name}`),
    ]
  })

const show: PageRow['show'] = async (request, { req }) => {
  const { tenantId } = request.session
  const { authUrl } = request.host
  const { v1, v2 } = request.host.issuersOf(tenantId)
  const [client = '', api = ''] = ['client', 'api'].map((name) => req.query(name)?.trim())
  const none = { apis: [], clients: [], concerns: [] as Concern[] }
  const unknown = (note: string) => ({ count: 'unknown', note, ...none })
  const [registered, asked, keys, people, refused, ending] = await Promise.all([
    optional(request, registeredPart(request), unknown),
    client && api ? answerTo(request, { client, api }) : undefined,
    optional<Html>(request, keyList(request), (sentence) => sentence),
    optional<Html>(request, peopleList(request), (sentence) => sentence),
    optional(request, refusals(request), unknown),
    optional(request, endingCredentials(request), unknown),
  ])
  const { apis, clients, count } = registered
  const parts = [registered, refused, ending]
  const notes = [...new Set(parts.flatMap(({ note }) => note || []))]
  const rows = rowsOf(parts.flatMap(({ concerns }) => concerns))
  return page(request, {
    title: 'Overview',
    status: asked?.status ?? 200,
    action: newApiLink(asked ? 'secondary' : 'primary'),
    content: html`<div class="counts">${facts([
      ['Applications', link('/portal/applications', count, 'applications')],
      ['APIs', link('/portal/applications?kind=api', countOf(apis, most.apis), 'APIs')],
      ['Refused in the last hour', link('/portal/logs?outcome=refused', refused.count, 'refusals')],
      ['Expiring credentials', ending.count],
    ])}</div>
${
  count === '1' && apis.length === 0
    ? empty('The directory has no API and no client yet.')
    : html`<form method="get" action="${path}" class="bar" aria-labelledby="ask"><h2 id="ask">Does a client get its roles?</h2>
${picker({ name: 'client', label: 'Client', placeholder: 'Name or ID', value: client, required: true, options: namesOf(clients) })}
${picker({ name: 'api', label: 'API', placeholder: 'Name, URI or ID', value: api, required: true, options: namesOf(apis) })}
<button>Check the client</button></form>`
}
${asked?.answer}
<h2>What needs attention</h2>
${notes.map((note) => html`<p class="problem">${note}</p>`)}
${(rows.length > 0 || notes.length === 0) && table('What needs attention', ['Application', 'State', 'Next step'], rows, html`<span class="mark good" aria-hidden="true">✓</span> No client lacks a step or was refused in the last hour, and no credential expires within ${soonDays} days.`)}
${rows.length > 0 && html`<p><small>Missing steps of the ${most.clients} newest applications, refusals of the last hour, and credentials within ${soonDays} days of their expiry: at most ${maxRows} of each.</small></p>`}
<details><summary>Tenant, endpoints and signing keys</summary>
${facts([
  ['Tenant', request.tenantName],
  ['Tenant ID', copyable(tenantId)],
  ['Users', people],
  ['Authority', copyable(`${authUrl}/${tenantId}`)],
  ['Token endpoint', copyable(`${authUrl}/${tenantId}/oauth2/v2.0/token`)],
  ['Key set (JWKS)', copyable(`${authUrl}/${tenantId}/discovery/keys`)],
  ['Discovery document', copyable(`${authUrl}/${tenantId}/v2.0/.well-known/openid-configuration`)],
  ['Issuer of v1.0 tokens', copyable(v1)],
  ['Issuer of v2.0 tokens', copyable(v2)],
  ['Microsoft Graph', copyable(`${authUrl}/v1.0`)],
  ['Signing keys', html`${keys}<a href="/portal/keys">All keys</a>`],
])}</details>`,
  })
}

const countOf = (found: readonly unknown[], limit: number) =>
  found.length < limit ? String(found.length) : `${limit} or more`

/** Whether a client gets the roles of an API. */
async function answerTo(
  request: AdministratorRequest,
  chosen: { client: string; api: string },
): Promise<{ answer: Html; status: number }> {
  try {
    const ids = [findId(request, chosen.client), findId(request, chosen.api)] as const
    const [client, api] = await Promise.all(ids)
    const [explanation] = await explanationsOf(request, client, [api])
    return {
      answer: explanation ? verdict(request, explanation, { api, client }) : '',
      status: 200,
    }
  } catch (cause) {
    if (!(cause instanceof ActionFault)) throw cause
    const links = cause instanceof UnclearName ? candidateLinks(cause, path, chosen) : ''
    const answer = html`<p role="alert" class="problem">${cause.message}</p>${links}`
    return { answer, status: cause.status }
  }
}

async function keyList({ management, now }: AdministratorRequest) {
  const states = await management.list('/keys', keyState)
  return states.map(
    ({ kid, phase, untilDateTime }) =>
      html`<p>${mark(phase === 'active' ? 'good' : 'plain', phase)} ${copyable(kid)} ${time(untilDateTime, now, 'no end planned')}</p>`,
  )
}

async function peopleList({ graph }: AdministratorRequest) {
  const { value } = await graph.page('/users', person)
  return html`${value.map((one) => html`<p>${one.displayName} <code>${one.userPrincipalName}</code></p>`)}
<small>Programs with User.Read.All can read these users. The users cannot sign in.</small>`
}

/** The refusals of the last hour, by client and reason. */
async function refusals(request: AdministratorRequest) {
  const from = new Date(request.now.getTime() - hourMs).toISOString()
  const query = { log: 'signIns', outcome: 'refused', limit: String(most.refusals), from }
  const { value } = await request.management.get(`/audit?${new URLSearchParams(query)}`, auditPage)
  const groups = [
    ...Map.groupBy(value, ({ actor, reason }) =>
      reason === 'client_unknown' ? reason : `${actor} ${reason}`,
    ).values(),
  ]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, maxRows)
  const actors = groups.flatMap((records) => records.slice(0, 1).map(({ actor }) => actor))
  const names = await applicationNames(request, actors)
  const concerns: Concern[] = groups.flatMap((records) =>
    records.slice(0, 1).map(({ actor, at, reason }) => {
      const log = new URLSearchParams({ outcome: 'refused', reason: reason ?? '' })
      const times = records.length > 1 ? `refused ${records.length} times` : 'refused'
      return {
        appId: actor,
        name: names.get(actor),
        line: html`${mark('bad', times)} ${inWords(reason ?? '')}. ${remedyOf(reason ?? '', request)} <small>${time(at, request.now)} ${link(`${logsPath}?${log}`, 'Show the log', `of ${names.get(actor) ?? 'unknown clients'}`)}</small>`,
        next: [applicationPath(actor), 'Show\u00a0steps'],
      }
    }),
  )
  return { concerns, count: countOf(value, most.refusals), note: '' }
}

async function endingCredentials({ management, now }: AdministratorRequest) {
  const dayAt = (days: number) => new Date(+now + days * dayMs).toISOString()
  const limit = String(most.credentials)
  const query = new URLSearchParams({ from: dayAt(-soonDays), to: dayAt(soonDays), limit })
  const found = await management.list(`/credentials?${query}`, endingCredential)
  const concerns: Concern[] = found
    .slice(0, maxRows)
    .map(({ appId, applicationName: name, kind, displayName, endDateTime }) => ({
      appId,
      name,
      line: html`${endDateTime <= now ? mark('bad', 'expired') : mark('warn', 'expires soon')} ${capitalized(kind)} “${displayName}” <small>${time(endDateTime, now)}</small>`,
      next: [applicationPath(appId, 'Certificates & secrets'), 'New client secret'],
    }))
  return { concerns, count: countOf(found, most.credentials), note: '' }
}

/** The newest applications, and the clients among them that would be refused, or get no role. */
async function registeredPart(request: AdministratorRequest) {
  const $top = String(most.clients)
  const [newest, apis] = await Promise.all([
    listApplications(request, { $top, $orderby: 'createdDateTime desc', $count: 'true' }),
    listApplications(request, { $top: String(most.apis), $filter: hasUri }),
  ])
  const states = await clientStates(request, newest.value)
  const concerns: Concern[] = newest.value.flatMap(({ appId, displayName: name }) => {
    const { kind = 'good', text = '', reason = '' } = states.get(appId) ?? {}
    if (kind !== 'bad' && kind !== 'warn') return []
    const line = html`${mark(kind, text)} ${capitalized(reason)}.`
    return [{ appId, name, line, next: [applicationPath(appId), 'Show\u00a0steps'] }]
  })
  const clients = newest.value.filter((one) => !isApi(one))
  const count = newest['@odata.count']?.toLocaleString('en') ?? ''
  return { apis: apis.value, clients, concerns: concerns.slice(0, maxRows), count, note: '' }
}

export const overviewPage: PageRow = { path, section: 'Overview', show }
