import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { findApis } from '../graph/application-list.ts'
import {
  assignmentsOf,
  type Principal,
  principalsBy,
  type Registered,
  readRegistered,
  requestedRoles,
} from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import {
  type Content,
  changeAction,
  patchOf,
  revokeAction,
  tabRow,
} from '../layout/application-tab.ts'
import { buttonForm, danger, form, hiddenFields } from '../layout/form.ts'
import type { Html } from '../layout/parts.ts'
import { empty, mark, named, table } from '../layout/parts.ts'

const maxFoundApis = 10

/** A role that a client requests, has, or both. */
type PermissionRow = {
  readonly api: Pick<Principal, 'id' | 'appId' | 'displayName'>
  readonly roleId: string
  readonly name: string
  readonly isRequested: boolean
  readonly assignmentId: string | undefined
}

const content: Content = async (request, registered, _attempt, req) => {
  const { appId } = registered.application
  const rows = await permissionRows(request, registered)
  const path = applicationPath(appId, 'API permissions')
  const search = (req.query('api') ?? '').trim()
  return html`<h2>Requested and granted</h2>
${table(
  'Permissions',
  ['API', 'Role', 'Requested', 'Granted', 'Change'],
  rows.map((row) => permissionCells(request, registered, row, path)),
  'This client requests no role. Request the first one below.',
)}
<h2>Request a role</h2>
<form method="get" action="${path}" class="bar"><label>API: words of its name, or its application ID
<input type="search" name="api" value="${search}" maxlength="256"></label><button>Find</button></form>
${await offeredRoles(request, registered, search, path)}`
}

function permissionCells(
  request: AdministratorRequest,
  { application }: Registered,
  { api, roleId, name, isRequested, assignmentId }: PermissionRow,
  path: string,
): Html[] {
  const fields = { api: api.appId, role: roleId, etag: application['@odata.etag'] ?? '' }
  return [
    html`<a href="${applicationPath(api.appId)}">${api.displayName}</a>`,
    html`<code>${name}</code>`,
    mark(isRequested ? 'good' : 'plain', isRequested ? 'requested' : 'not requested'),
    assignmentId ? mark('good', 'granted') : mark('bad', 'not granted'),
    html`${isRequested && buttonForm(request, `${path}/withdraw`, 'Withdraw request', fields)}
${isRequested && !assignmentId && buttonForm(request, `${path}/consent`, 'Grant', { api: api.appId, role: roleId })}
${assignmentId && danger('Revoke', html`New tokens of ${named(application.displayName)} lack <code>${name}</code>.`, buttonForm(request, `${path}/revoke`, 'Revoke', { assignment: assignmentId }, 'danger'))}`,
  ]
}

/** The roles of the APIs that match, each with a box. */
async function offeredRoles(
  request: AdministratorRequest,
  { application }: Registered,
  search: string,
  path: string,
): Promise<Html> {
  const found = await findApis(request, search)
  if (found.length === 0) return empty('No API with an enabled role matches.')
  const isManagement = ({ appId }: Principal) => request.host.managementApiIds.includes(appId)
  const offers = (apis: readonly Principal[]) =>
    apis.slice(0, maxFoundApis).map((api) => offer(request, application, api, path))
  const managing = found.filter(isManagement)
  return html`${offers(found.filter((one) => !isManagement(one)))}
${
  managing.length > 0 &&
  html`<details><summary>${mark('bad', 'dangerous')} Roles that administer this directory and this server</summary>
<p class="problem">A client with such a role can change applications, grant itself roles, or read logs and keys. An API of your own needs none.</p>${offers(managing)}</details>`
}`
}

/** The roles of one API that a client does not request yet. */
function offer(
  request: AdministratorRequest,
  application: Registered['application'],
  api: Principal,
  path: string,
): Html {
  const requested = new Set(requestedRoles(application, api.appId))
  const offered = api.appRoles.filter(({ id, isEnabled }) => isEnabled && !requested.has(id))
  return html`<h3><bdi>${api.displayName}</bdi> <small><code>${api.appId}</code></small></h3>
${
  offered.length === 0
    ? html`<p>All its roles are requested.</p>`
    : form(
        request,
        `${path}/request`,
        html`${hiddenFields({ api: api.appId, etag: application['@odata.etag'] ?? '' })}
<fieldset><legend>Roles</legend>${offered.map(
          ({ id, value, displayName }) =>
            html`<label><input type="checkbox" name="role:${id}" value="yes"> <code>${value ?? id}</code> ${displayName}</label>`,
        )}</fieldset><button>Request</button>`,
      )
}`
}

/** The roles that a client requests, then those that it has without a request. */
async function permissionRows(
  request: AdministratorRequest,
  { application, principal }: Registered,
): Promise<PermissionRow[]> {
  const assignments = principal ? await assignmentsOf(request, principal.id) : []
  const requested = application.requiredResourceAccess
  const [asked, granting] = await Promise.all([
    principalsBy(
      request,
      'appId',
      requested.map(({ resourceAppId }) => resourceAppId),
    ),
    principalsBy(
      request,
      'id',
      assignments.map(({ resourceId }) => resourceId),
    ),
  ])
  const unknown = (appId: string) => ({
    id: '',
    appId,
    displayName: `Unknown API ${appId}`,
    appRoles: [],
  })
  const pairs = [
    ...requested.flatMap(({ resourceAppId, resourceAccess }) =>
      resourceAccess
        .filter(({ type }) => type === 'Role')
        .map(({ id }) => ({ api: asked.get(resourceAppId) ?? unknown(resourceAppId), roleId: id })),
    ),
    ...assignments.flatMap(({ resourceId, appRoleId }) => {
      const api = granting.get(resourceId)
      return api ? [{ api, roleId: appRoleId }] : []
    }),
  ]
  const rows = pairs.map(({ api, roleId }) => ({
    api,
    roleId,
    name: api.appRoles.find(({ id }) => id === roleId)?.value ?? roleId,
    isRequested: requestedRoles(application, api.appId).includes(roleId),
    assignmentId: assignments.find((one) => one.resourceId === api.id && one.appRoleId === roleId)
      ?.id,
  }))
  return [...new Map(rows.map((row) => [`${row.api.appId} ${row.roleId}`, row])).values()]
}

type Access = Registered['application']['requiredResourceAccess']

/** Writes the requested permissions of a client. */
const changeRequests = (
  suffix: string,
  change: (access: Access, sent: ReadonlyMap<string, string>) => Access,
) =>
  changeAction('API permissions', suffix, (registered, sent) => {
    const changed = change(registered.application.requiredResourceAccess, sent)
    const requiredResourceAccess = changed.filter((one) => one.resourceAccess.length > 0)
    return patchOf(registered, { requiredResourceAccess }, sent.get('etag'))
  })

const withRoles = (access: Access, resourceAppId: string, roleIds: readonly string[]): Access => {
  const known = access.find((one) => one.resourceAppId === resourceAppId)?.resourceAccess ?? []
  const added = roleIds.map((id) => ({ id, type: 'Role' }))
  return [
    ...access.filter((one) => one.resourceAppId !== resourceAppId),
    { resourceAppId, resourceAccess: [...known, ...added] },
  ]
}

export const permissionsPage = tabRow('API permissions', content, [
  changeRequests('/request', (access, sent) => {
    const prefix = 'role:'
    const names = [...sent.keys()].filter((name) => name.startsWith(prefix))
    const roleIds = names.map((name) => name.slice(prefix.length))
    return withRoles(access, sent.get('api') ?? '', roleIds)
  }),
  changeRequests('/withdraw', (access, sent) =>
    access.map((one) => {
      if (one.resourceAppId !== sent.get('api')) return one
      const left = one.resourceAccess.filter(({ id }) => id !== sent.get('role'))
      return { ...one, resourceAccess: left }
    }),
  ),
  {
    suffix: '/consent',
    run: async (request, sent, { req }) => {
      const appId = req.param('appId') ?? ''
      const [chosenApi, chosenRole] = [sent.get('api'), sent.get('role')]
      const registered = await readRegistered(request, appId)
      const principalId = registered.principal?.id ?? ''
      const rows = await permissionRows(request, registered)
      for (const { api, roleId, isRequested, assignmentId } of rows) {
        if (!isRequested || assignmentId) continue
        if (chosenApi && chosenApi !== api.appId) continue
        if (chosenRole && chosenRole !== roleId) continue
        await request.graph.send({
          method: 'POST',
          path: `/servicePrincipals/${api.id || api.appId}/appRoleAssignedTo`,
          body: { principalId, resourceId: api.id, appRoleId: roleId },
        })
      }
      return applicationPath(appId, 'API permissions')
    },
  },
  revokeAction('API permissions', 'appRoleAssignments'),
])
