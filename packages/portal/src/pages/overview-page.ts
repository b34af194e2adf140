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
import { page } from '../layout/page.ts'
import type { PageRow } from '../layout/page-row.ts'
import { copyable, empty, facts, type Html, mark, table, time } from '../layout/parts.ts'
import { optional, remedyOf } from '../layout/refusals.ts'
import { verdict } from '../layout/verdict.ts'

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

/** A row about an application that needs attention; one without a name is not registered. */
const concern = (appId: string, name: string | undefined, ...cells: readonly Html[]) => ({
  appId,
  cells: [
    name ? html`<a href="${applicationPath(appId)}">${name}</a>` : 'unknown client',
    ...cells,
  ],
})

const show: PageRow['show'] = async (request, { req }) => {
  const { tenantId } = request.session
  const { authUrl } = request.host
  const { v1, v2 } = request.host.issuersOf(tenantId)
  const [client = '', api = ''] = ['client', 'api'].map((name) => req.query(name)?.trim())
  const unknown = (note: string) => ({ count: 'unknown', concerns: [], note })
  const [registered, asked, keys, people, refused, ending] = await Promise.all([
    optional(request, registeredPart(request), (note) => ({
      ...unknown(note),
      apis: [],
      clients: [],
    })),
    client && api ? answerTo(request, { client, api }) : undefined,
    optional<Html>(request, keyList(request), (sentence) => sentence),
    optional<Html>(request, peopleList(request), (sentence) => sentence),
    optional(request, refusals(request), unknown),
    optional(request, endingCredentials(request), unknown),
  ])
  const { apis, clients, count } = registered
  const known = [...refused.concerns, ...ending.concerns]
  const others = registered.concerns.filter(({ appId }) =>
    known.every((one) => one.appId !== appId),
  )
  return page(request, {
    title: 'Overview',
    status: asked?.status ?? 200,
    content: html`${
      count === '1' && apis.length === 0
        ? firstStep
        : html`<form method="get" action="${path}" class="bar">
${picker({ name: 'client', label: 'Does this client get its roles', value: client, required: true, options: namesOf(clients) })}
${picker({ name: 'api', label: 'of this API?', value: api, required: true, options: namesOf(apis) })}
<button${asked ? '' : html` class="primary"`}>Answer</button></form>`
    }
${asked?.answer}
<h2>What needs attention</h2>
${[...new Set([registered.note, refused.note, ending.note])].map((note) => note && html`<p class="problem">${note}</p>`)}
${table(
  'What needs attention',
  ['Application', 'State', 'Reason and repair', 'Time', 'Next step'],
  [...known, ...others.slice(0, maxRows)].map(({ cells }) => cells),
  'Nothing. No client was refused in the last hour, and no credential ends soon.',
)}
<p><small>Refused in the last hour; credentials that end within ${soonDays} days or ended in the last ${soonDays}; the ${most.clients} newest applications. At most ${maxRows} of each.</small></p>
<div class="counts">${facts([
      ['Applications', html`<a href="/portal/applications">${count}</a>`],
      ['APIs', html`<a href="/portal/applications?kind=api">${countOf(apis, most.apis)}</a>`],
      ['Credentials that end', ending.count],
      [
        'Refused in the last hour',
        html`<a href="/portal/logs?log=sign-ins&outcome=refused">${refused.count}</a>`,
      ],
    ])}</div>
<details><summary>Tenant, endpoints and signing keys</summary>
${facts([
  ['Tenant', request.tenantName],
  ['Tenant ID', copyable(tenantId)],
  ['People', people],
  ['Authority', copyable(`${authUrl}/${tenantId}`)],
  ['Token endpoint', copyable(`${authUrl}/${tenantId}/oauth2/v2.0/token`)],
  ['Key set', copyable(`${authUrl}/${tenantId}/discovery/keys`)],
  ['Discovery', copyable(`${authUrl}/${tenantId}/v2.0/.well-known/openid-configuration`)],
  ['Issuer of v1.0 tokens', copyable(v1)],
  ['Issuer of v2.0 tokens', copyable(v2)],
  ['Microsoft Graph', copyable(`${authUrl}/v1.0`)],
  ['Signing keys', html`${keys}<a href="/portal/keys">All keys</a>`],
])}</details>`,
  })
}

const firstStep = empty(
  'The directory has no API and no client yet.',
  html`<a role="button" class="primary" href="/portal/new-api">New API with its client</a>`,
)

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
<small>Programs with User.Read.All read them. They cannot sign in.</small>`
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
  const concerns = groups.flatMap((records) =>
    records.slice(0, 1).map(({ actor, at, reason, target }) => {
      const log = new URLSearchParams({ log: 'sign-ins', outcome: 'refused', reason: reason ?? '' })
      const name = names.get(actor)
      const steps = name && html`<a href="${applicationPath(actor)}?api=${target ?? ''}">Steps</a> `
      return concern(
        actor,
        name,
        mark('bad', records.length > 1 ? `refused ${records.length} times` : 'refused'),
        html`<code>${reason}</code> ${remedyOf(reason ?? '', request)}`,
        time(at, request.now),
        html`${steps}<a href="/portal/logs?${log}">Log</a>`,
      )
    }),
  )
  return { concerns, count: countOf(value, most.refusals), note: '' }
}

async function endingCredentials({ management, now }: AdministratorRequest) {
  const dayAt = (days: number) => new Date(+now + days * dayMs).toISOString()
  const limit = String(most.credentials)
  const query = new URLSearchParams({ from: dayAt(-soonDays), to: dayAt(soonDays), limit })
  const found = await management.list(`/credentials?${query}`, endingCredential)
  const concerns = found
    .slice(0, maxRows)
    .map((one) =>
      concern(
        one.appId,
        one.applicationName,
        one.endDateTime <= now ? mark('bad', 'ended') : mark('warn', 'ends'),
        `${one.kind} ${one.displayName ?? ''}`,
        time(one.endDateTime, now),
        html`<a href="${applicationPath(one.appId, 'Certificates & secrets')}">New client secret</a>`,
      ),
    )
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
  const concerns = newest.value.flatMap(({ appId, displayName, createdDateTime }) => {
    const { kind = 'good', text = '', reason = '' } = states.get(appId) ?? {}
    if (kind !== 'bad' && kind !== 'warn') return []
    const at = time(createdDateTime, request.now, '')
    const steps = html`<a href="${applicationPath(appId)}">Steps</a>`
    return [concern(appId, displayName, mark(kind, text), reason, at, steps)]
  })
  const clients = newest.value.filter((one) => !isApi(one))
  const count = newest['@odata.count']?.toLocaleString('en') ?? ''
  return { apis: apis.value, clients, concerns, count, note: '' }
}

export const overviewPage: PageRow = { path, section: 'Overview', show }
