import type { GraphRequest } from '@greeting/registrations/apply'
import { isBlueprint } from '@greeting/registrations/directory'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { agentsOf, apisOfAgent } from '../graph/agents.ts'
import {
  clientStates,
  findApis,
  listApplications,
  namesOf,
  noCredential,
} from '../graph/application-list.ts'
import {
  assignedTo,
  explanationsOf,
  findId,
  isAgent,
  isApi,
  kindOf,
  type Principal,
  principalsWithAssignments,
  type Registered,
  readRegistered,
  requestedRoles,
  UnclearName,
} from '../graph/applications.ts'
import type { Form } from '../security/portal-form.ts'
import { applicationPath, type Tab, tabsOf } from './application-page.ts'
import { type Attempt, buttonForm, candidateLinks, picker } from './form.ts'
import { page } from './page.ts'
import type { ActionRow, PageRow } from './page-row.ts'
import { empty, type Html, linkList, named, table } from './parts.ts'
import { plainPage } from './refusals.ts'
import { verdict } from './verdict.ts'

/** A tab of one application. It begins with what the six steps say about it. */
export async function applicationPage(
  request: AdministratorRequest,
  registered: Registered,
  tab: Tab,
  content: Html,
  attempt?: Attempt,
): Promise<Response> {
  const { appId, displayName } = registered.application
  const kind = kindOf(registered)
  const tabs = tabsOf(kind).map((name) => ({ name, path: applicationPath(appId, name) }))
  const ofAgent = [
    { name: 'Token', path: `/portal/token?client=${appId}` },
    { name: 'Logs', path: `/portal/logs?actor=${appId}` },
  ]
  const links = kind === 'agent' ? [...tabs, ...ofAgent] : tabs
  return page(request, {
    title: displayName,
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    attempt,
    content: html`${linkList('Application', 'tabs', links, tab)}
${await applicationState(request, registered, applicationPath(appId, tab))}${content}`,
  })
}

/** The content of a tab below the state of its application. */
export type Content = (
  request: AdministratorRequest,
  registered: Registered,
  attempt: Attempt | undefined,
  req: Context['req'],
) => Html | Promise<Html>

/** Makes a tab from the application in the path. */
export const tabPage =
  (tab: Tab, contentOf: Content): PageRow['show'] =>
  async (request, { req }, attempt) => {
    const registered = await readRegistered(request, req.param('appId') ?? '')
    if (!tabsOf(kindOf(registered)).includes(tab)) {
      const sentence = `${kindOf(registered)} has no page “${tab}”. The blueprint of an agent has its credentials.`
      return plainPage('Not found', `This ${sentence}`, 404, request)
    }
    const content = await contentOf(request, registered, attempt, req)
    return applicationPage(request, registered, tab, content, attempt)
  }

/** A tab with its forms. */
export const tabRow = (tab: Tab, contentOf: Content, actions: readonly ActionRow[]): PageRow => ({
  path: applicationPath(':appId', tab),
  section: 'App registrations',
  show: tabPage(tab, contentOf),
  actions,
})

/** A form that sends one change of an application, and shows its tab again. */
export const changeAction = (
  tab: Tab,
  suffix: string,
  change: (registered: Registered, sent: Form, request: AdministratorRequest) => GraphRequest,
): ActionRow => ({
  suffix,
  run: async (request, sent, { req }) => {
    const registered = await readRegistered(request, req.param('appId') ?? '')
    await request.graph.send(change(registered, sent, request))
    return applicationPath(registered.application.appId, tab)
  },
})

/**
 * The form that withdraws an app role assignment.
 *
 * @param assignments the list that contains the assignment: of the client, or of the API
 */
export const revokeAction = (tab: Tab, assignments: 'appRoleAssignments' | 'appRoleAssignedTo') =>
  changeAction(tab, '/revoke', ({ principal }, sent) => ({
    method: 'DELETE',
    path: `/servicePrincipals/${principal?.id ?? ''}/${assignments}/${encodeURIComponent(sent.get('assignment') ?? '')}`,
  }))

/** The change of some properties of an application, if it is still the same. */
export const patchOf = (registered: Registered, body: object, ifMatch?: string): GraphRequest => ({
  method: 'PATCH',
  path: objectPath(registered),
  body,
  ifMatch,
})

/** The path of an application, or of an agent. */
export const objectPath = (registered: Registered): string =>
  `/${isAgent(registered) ? 'servicePrincipals' : 'applications'}/${registered.application.id}`

/** Whether a client gets roles of an API, or which clients get them. */
async function applicationState(
  request: AdministratorRequest,
  registered: Registered,
  path: string,
): Promise<Html> {
  const { application } = registered
  if (isBlueprint(application)) return blueprintState(request, registered)
  const isClient = !isApi(application) || application.requiredResourceAccess.length > 0
  return html`${isApi(application) && (await apiState(request, registered))}${isClient && (await clientState(request, registered, path))}`
}

/** Whether the agents of a blueprint can get tokens, with the next step. */
async function blueprintState(request: AdministratorRequest, registered: Registered) {
  const { application, principal } = registered
  const { appId, displayName } = application
  const [state, { value: agents }] = await Promise.all([
    clientStates(request, [application]),
    agentsOf(request, appId, { $top: '1' }),
  ])
  const { kind = 'plain', text = '', reason = '' } = state.get(appId) ?? {}
  const step = (name: string, tab: Tab, hash = '') =>
    html`<a role="button" class="primary" href="${applicationPath(appId, tab)}${hash}">${name}</a>`
  const principalPath = `${applicationPath(appId)}/principal`
  const next =
    principal === undefined
      ? buttonForm(request, principalPath, 'Create the service principal', {}, 'primary')
      : kind === 'bad' && text === noCredential
        ? step('New client secret', 'Certificates & secrets')
        : agents.length === 0
          ? step('Create an agent', 'Agents', '#new')
          : step('Show the agents', 'Agents')
  const isUsable = kind !== 'bad' && agents.length > 0
  return html`<section class="verdict ${kind === 'bad' ? 'bad' : isUsable ? 'good' : 'plain'}" aria-label="Verdict"><p>${kind === 'bad' ? html`The agents of ${named(displayName)} get no token: ${reason}.` : isUsable ? html`${named(displayName)} authenticates its agents, and gets no token for an API itself.` : html`${named(displayName)} has no agent.`} ${next}</p></section>`
}

/** The verdict for one API, with a form that chooses another one. */
async function clientState(
  request: AdministratorRequest,
  registered: Registered,
  path: string,
): Promise<Html> {
  const { application } = registered
  const client = application.appId
  const apis = await findApis(request, '')
  const sought = (request.context?.req.query('for') ?? '').trim()
  let fault: Html = ''
  const apiId = await chosenApi(request, registered, sought, apis).catch((cause: unknown) => {
    if (!(cause instanceof UnclearName)) throw cause
    const links = candidateLinks(cause, path, { for: sought })
    fault = html`<p role="alert" class="problem">${cause.message}</p>${links}`
    return undefined
  })
  const [explanation] = apiId ? await explanationsOf(request, client, [apiId]) : []
  return html`<form method="get" action="${path}" class="bar">${picker({ name: 'for', label: 'API: name, URI or ID', value: explanation?.apiName ?? '', options: namesOf(apis), required: true })}<button>Check this API</button></form>
${fault}
${explanation ? verdict(request, explanation, { api: explanation.apiId, client, ...(!isAgent(registered) && { etag: application['@odata.etag'] ?? '' }) }) : empty('Choose an API to see what this client needs to get a token with roles.')}`
}

const cookie = 'greeting-portal-api'
const cookieOptions = {
  path: '/portal',
  secure: true,
  httpOnly: true,
  sameSite: 'Strict',
} as const
const remembered = z.tuple([z.guid(), z.guid()])

/**
 * The API of the verdict: the chosen one, which the browser keeps; else the first of which the client
 * requests a role; else the last one that was chosen, or the first own API of the tenant.
 */
async function chosenApi(
  request: AdministratorRequest,
  registered: Registered,
  sought: string,
  apis: readonly Principal[],
): Promise<string | undefined> {
  const { context, host } = request
  const { appId, requiredResourceAccess } = registered.application
  if (context && sought !== '') {
    const apiId = await findId(request, sought)
    setCookie(context, cookie, `${appId}.${apiId}`, cookieOptions)
    return apiId
  }
  const kept = remembered.safeParse((context && getCookie(context, cookie))?.split('.'))
  const [client, last] = kept.data ?? []
  const requested = isAgent(registered)
    ? await apisOfAgent(request, registered)
    : requiredResourceAccess.map(({ resourceAppId }) => resourceAppId)
  const isLast = client === appId || requested.length === 0 || requested.includes(last ?? '')
  if (last && isLast) return last
  return requested[0] ?? apis.find((one) => !host.managementApiIds.includes(one.appId))?.appId
}

/** So many clients are read for one page, and so many of them are shown. */
const maxClients = 100
const maxRows = 25

/** The clients that have a role of an API, or request one. Those that lack consent come first. */
async function clientsOf(request: AdministratorRequest, registered: Registered) {
  const { appId, appRoles } = registered.application
  const $filter = `requiredResourceAccess/any(r:r/resourceAppId eq '${appId}')`
  const [{ assignments }, asking] = await Promise.all([
    assignedTo(request, registered),
    listApplications(request, { $top: String(maxClients), $filter }),
  ])
  const requests = new Map(asking.value.map((one) => [one.appId, requestedRoles(one, appId)]))
  const holders = assignments.map(({ principalId }) => principalId)
  const found = await Promise.all([
    principalsWithAssignments(request, 'appId', [...requests.keys()]),
    principalsWithAssignments(request, 'id', holders),
  ])
  const values = (ids: readonly string[]) =>
    ids.map((id) => appRoles.find((role) => role.id === id)?.value ?? id)
  const clients = [...new Map(found.flat().map((one) => [one.appId, one])).values()].map((one) => {
    const has = one.appRoleAssignments
      .filter(({ resourceId }) => resourceId === registered.principal?.id)
      .map(({ appRoleId }) => appRoleId)
    const lacks = (requests.get(one.appId) ?? []).filter((id) => !has.includes(id))
    return { appId: one.appId, name: one.displayName, has: values(has), lacks: values(lacks) }
  })
  return clients.toSorted((one, other) => other.lacks.length - one.lacks.length)
}

/** The clients with a role of an API, and the clients that request one, with the next step of the API. */
async function apiState(request: AdministratorRequest, registered: Registered): Promise<Html> {
  const { application, principal } = registered
  const { appId, identifierUris, appRoles } = application
  const clients = await clientsOf(request, registered)
  const step = (name: string, path: string) =>
    html`<p><a role="button" class="primary" href="${path}">${name}</a></p>`
  const [next] = [
    principal === undefined &&
      buttonForm(
        request,
        `${applicationPath(appId)}/principal`,
        'Create the service principal',
        {},
        'primary',
      ),
    identifierUris.length === 0 &&
      step('Add an identifier URI', applicationPath(appId, 'Expose an API')),
    appRoles.length === 0 && step('Add app roles', applicationPath(appId, 'App roles')),
    clients.length === 0 &&
      step('Register a client', `/portal/applications?kind=client&for=${appId}#register`),
  ].filter(Boolean)
  return html`${next}${table(
    'Clients of this API',
    ['Client', 'Has', 'Requested but not granted'],
    clients
      .slice(0, maxRows)
      .map(({ appId: id, name, has, lacks }) => [
        html`<a href="${applicationPath(id)}?for=${appId}"><bdi>${name}</bdi></a>`,
        html`<code>${has.join(', ')}</code>`,
        lacks.length === 0
          ? ''
          : html`<code>${lacks.join(', ')}</code> ${buttonForm(request, `${applicationPath(id, 'API permissions')}/consent`, ['Grant admin consent', `to ${name}`], { api: appId })}`,
      ]),
    'No client has or requests a role of this API.',
  )}${clients.length > maxRows && html`<p><small>At most ${maxRows} clients are shown. <a href="${applicationPath(appId, 'Role assignments')}">All role assignments</a></small></p>`}`
}
