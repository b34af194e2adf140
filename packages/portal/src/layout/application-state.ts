import { appRoleAssignment } from '@greeting/registrations/planning'
import { getCookie, setCookie } from 'hono/cookie'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import {
  applicationView,
  explanationsOf,
  findApis,
  findId,
  isApi,
  offeredNames,
  type Principal,
  principalOf,
  principalsOf,
  type Registered,
  requestedRoles,
  UnclearName,
} from '../graph/applications.ts'
import { applicationPath } from './application-page.ts'
import { buttonForm, candidateLinks, picker } from './form.ts'
import { empty, type Html, table } from './parts.ts'
import { verdict } from './verdict.ts'

/** Whether a client gets roles of an API, or which clients get those of an API. */
export async function applicationState(
  request: AdministratorRequest,
  registered: Registered,
  path: string,
): Promise<Html> {
  const { application } = registered
  const isClient = !isApi(application) || application.requiredResourceAccess.length > 0
  return html`${isApi(application) && (await apiState(request, registered))}${isClient && (await clientState(request, registered, path))}`
}

/** The verdict for one API, with a form that chooses another one. */
async function clientState(
  request: AdministratorRequest,
  { application }: Registered,
  path: string,
): Promise<Html> {
  const client = application.appId
  const { apiId, problem } = await chosenApi(request, application, path)
  const [{ apis }, [explanation]] = await Promise.all([
    offeredNames(request),
    apiId ? explanationsOf(request, client, [apiId]) : [],
  ])
  return html`<form method="get" action="${path}" class="bar">${picker({ name: 'for', label: 'API: name, URI or ID', value: explanation?.apiName ?? '', options: apis, required: true })}<button>Show the verdict</button></form>
${problem}
${explanation ? verdict(request, explanation, { api: explanation.apiId, client, etag: application['@odata.etag'] ?? '' }) : empty('Choose an API: the six steps show what this client needs for a token with its roles.')}`
}

const cookie = 'greeting-portal-api'
const remembered = z.tuple([z.guid(), z.guid()])

/**
 * The API of the verdict: the chosen one, which the browser keeps; else the first of which the client
 * requests a role; else the last one that was chosen, or the first own API of the tenant.
 */
async function chosenApi(
  request: AdministratorRequest,
  { appId, requiredResourceAccess }: Registered['application'],
  path: string,
): Promise<{ readonly apiId: string | undefined; readonly problem?: Html }> {
  const { context } = request
  const sought = (context?.req.query('for') ?? '').trim()
  if (context && sought !== '') {
    try {
      const apiId = await findId(request, sought)
      const attributes = {
        path: '/portal',
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      } as const
      setCookie(context, cookie, `${appId}.${apiId}`, attributes)
      return { apiId }
    } catch (cause) {
      if (!(cause instanceof UnclearName)) throw cause
      const links = candidateLinks(cause, path, { for: sought })
      return {
        apiId: undefined,
        problem: html`<p role="alert" class="problem">${cause.message}</p>${links}`,
      }
    }
  }
  const kept = remembered.safeParse((context && getCookie(context, cookie))?.split('.'))
  const [client, last] = kept.data ?? []
  const requested = requiredResourceAccess.map(({ resourceAppId }) => resourceAppId)
  const isLast = client === appId || requested.length === 0 || requested.includes(last ?? '')
  if (last && isLast) return { apiId: last }
  const [
    first = (await findApis(request, '')).find(
      (one) => !request.host.managementApiIds.includes(one.appId),
    )?.appId,
  ] = requested
  return { apiId: first }
}

const assignedPage = z.object({
  '@odata.nextLink': z.string().optional(),
  value: z.array(appRoleAssignment),
})
/** So many clients are examined for one page. */
const maxClients = 25

/** The clients that have a role of an API, or request one. Those that lack consent come first. */
async function clientsOf(request: AdministratorRequest, { application, principal }: Registered) {
  const { graph } = request
  const { appId, appRoles } = application
  const assigned = principal
    ? await graph.get(`/servicePrincipals/${principal.id}/appRoleAssignedTo?$top=100`, assignedPage)
    : { value: [] }
  const filter = `requiredResourceAccess/any(r:r/resourceAppId eq '${appId}')`
  const query = new URLSearchParams({ $top: String(maxClients), $filter: filter })
  const asking = await graph.firstPage(`/applications?${query}`, applicationView)
  const rolesOf = async (one: Principal) =>
    assigned['@odata.nextLink'] === undefined
      ? assigned.value.filter(({ principalId }) => principalId === one.id)
      : graph.list(`/servicePrincipals/${one.id}/appRoleAssignments`, appRoleAssignment)
  const ids = [...new Set(assigned.value.map(({ principalId }) => principalId))]
  const [holders, ...askers] = await Promise.all([
    principalsOf(request, ids.slice(0, maxClients)),
    ...asking.map((one) => principalOf(request, one.appId)),
  ])
  const principals = [...askers, ...holders.values()]
  const byId = new Map(principals.flatMap((one) => (one ? [[one.appId, one]] : [])))
  const clients = await Promise.all(
    [...byId.values()].map(async (one) => {
      const has = (await rolesOf(one))
        .filter(({ resourceId }) => resourceId === principal?.id)
        .map(({ appRoleId }) => appRoleId)
      const client = asking.find((application) => application.appId === one.appId)
      const lacks = client ? requestedRoles(client, appId).filter((id) => !has.includes(id)) : []
      const values = (ids: readonly string[]) =>
        ids.map((id) => appRoles.find((role) => role.id === id)?.value ?? id)
      return {
        appId: one.appId,
        displayName: one.displayName,
        has: values(has),
        lacks: values(lacks),
      }
    }),
  )
  return clients.toSorted((one, other) => other.lacks.length - one.lacks.length)
}

/** Who has a role of an API, and who asked for one that is not granted: with the next step of the API. */
async function apiState(request: AdministratorRequest, registered: Registered): Promise<Html> {
  const { application, principal } = registered
  const { appId, identifierUris, appRoles } = application
  const clients = await clientsOf(request, registered)
  const step = (name: string, path: string) =>
    html`<p><a role="button" class="primary" href="${path}">${name}</a></p>`
  const next =
    principal === undefined
      ? buttonForm(
          request,
          `${applicationPath(appId)}/principal`,
          'Create the service principal',
          {},
          'primary',
        )
      : identifierUris.length === 0
        ? step('Add an identifier URI', applicationPath(appId, 'Expose an API'))
        : appRoles.length === 0
          ? step('Add app roles', applicationPath(appId, 'App roles'))
          : clients.length === 0 &&
            step('Register a client', `/portal/applications?kind=client&for=${appId}#register`)
  return html`${next}${table(
    'Clients of this API',
    ['Client', 'Has', 'Asked for, not granted'],
    clients
      .slice(0, maxClients)
      .map((one) => [
        html`<a href="${applicationPath(one.appId)}?for=${appId}"><bdi>${one.displayName}</bdi></a>`,
        html`<code>${one.has.join(', ')}</code>`,
        one.lacks.length === 0
          ? ''
          : html`<code>${one.lacks.join(', ')}</code> ${buttonForm(request, `${applicationPath(one.appId, 'API permissions')}/consent`, 'Grant admin consent', { api: appId })}`,
      ]),
    'No client has a role of this API, or asked for one.',
  )}${clients.length >= maxClients && html`<p><small>At most ${maxClients} clients that request a role are shown. <a href="${applicationPath(appId, 'Role assignments')}">All role assignments</a></small></p>`}`
}
