import { appRoleAssignment, servicePrincipal } from '@greeting/registrations/planning'
import { html } from 'hono/html'
import type { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { findApis, type Registered, readRegistered, requestedRoles } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { applicationPage, revokeAction } from '../layout/application-tab.ts'
import { buttonForm, danger, form, hiddenFields } from '../layout/form.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import type { Html } from '../layout/parts.ts'
import { empty, mark, named, table } from '../layout/parts.ts'

const maxFoundApis = 10

type Principal = z.output<typeof servicePrincipal>
type Assignment = z.output<typeof appRoleAssignment>

/** A role that a client requests, has, or both. */
type PermissionRow = {
  readonly api: Pick<Principal, 'id' | 'appId' | 'displayName'>
  readonly roleId: string
  readonly name: string
  readonly isRequested: boolean
  readonly assignment: Assignment | undefined
}

const show: PageRow['show'] = async (request, { req }, attempt) => {
  const registered = await readRegistered(request, req.param('appId') ?? '')
  const { appId } = registered.application
  const rows = await permissionRows(request, registered)
  const path = applicationPath(appId, 'API permissions')
  const search = (req.query('api') ?? '').trim()
  const content = html`<h2>Requested and granted</h2>
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
  return applicationPage(request, registered, 'API permissions', content, attempt)
}

function permissionCells(
  request: AdministratorRequest,
  { application, principal }: Registered,
  { api, roleId, name, isRequested, assignment }: PermissionRow,
  path: string,
): Html[] {
  const fields = { api: api.appId, role: roleId, etag: application['@odata.etag'] ?? '' }
  return [
    html`<a href="${applicationPath(api.appId)}">${api.displayName}</a>`,
    html`<code>${name}</code>`,
    mark(isRequested ? 'good' : 'plain', isRequested ? 'requested' : 'not requested'),
    assignment ? mark('good', 'granted') : mark('bad', 'not granted'),
    html`${isRequested && buttonForm(request, `${path}/withdraw`, 'Withdraw request', fields)}
${isRequested && !assignment && buttonForm(request, `${path}/consent`, 'Grant', { api: api.appId, role: roleId })}
${assignment && principal && danger('Revoke', html`New tokens of ${named(principal.displayName)} lack <code>${name}</code>.`, buttonForm(request, `${path}/revoke`, 'Revoke', { assignment: assignment.id }, 'danger'))}`,
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

async function permissionRows(
  { graph }: AdministratorRequest,
  { application, principal }: Registered,
): Promise<PermissionRow[]> {
  const assignments = principal
    ? await graph.list(`/servicePrincipals/${principal.id}/appRoleAssignments`, appRoleAssignment)
    : []
  const requested = application.requiredResourceAccess
  const filters = [
    ...requested.map(({ resourceAppId }) => `appId eq '${resourceAppId}'`),
    ...new Set(assignments.map(({ resourceId }) => `id eq '${resourceId}'`)),
  ]
  const found = await Promise.all(
    filters.map((filter) =>
      graph.list(`/servicePrincipals?$filter=${encodeURIComponent(filter)}`, servicePrincipal),
    ),
  )
  const apis = [...new Map(found.flat().map((one) => [one.id, one])).values()]
  const known = apis.flatMap((api) => {
    const ids = new Set([
      ...requestedRoles(application, api.appId),
      ...assignments.filter(({ resourceId }) => resourceId === api.id).map((one) => one.appRoleId),
    ])
    return [...ids].map((roleId) => ({
      api,
      roleId,
      name: api.appRoles.find(({ id }) => id === roleId)?.value ?? roleId,
      isRequested: requestedRoles(application, api.appId).includes(roleId),
      assignment: assignments.find((one) => one.resourceId === api.id && one.appRoleId === roleId),
    }))
  })
  const missing = requested
    .filter(({ resourceAppId }) => !apis.some(({ appId }) => appId === resourceAppId))
    .flatMap(({ resourceAppId, resourceAccess }) =>
      resourceAccess.map(({ id }) => ({
        api: { id: '', appId: resourceAppId, displayName: `Unknown API ${resourceAppId}` },
        roleId: id,
        name: id,
        isRequested: true,
        assignment: undefined,
      })),
    )
  return [...known, ...missing]
}

type Access = Registered['application']['requiredResourceAccess']

/** Writes the requested permissions of a client. */
const changeRequests =
  (change: (access: Access, sent: ReadonlyMap<string, string>) => Access): ActionRow['run'] =>
  async (request, sent, { req }) => {
    const appId = req.param('appId') ?? ''
    const { application } = await readRegistered(request, appId)
    const changed = change(application.requiredResourceAccess, sent)
    await request.graph.send({
      method: 'PATCH',
      path: `/applications/${application.id}`,
      ifMatch: sent.get('etag'),
      body: { requiredResourceAccess: changed.filter((one) => one.resourceAccess.length > 0) },
    })
    return applicationPath(appId, 'API permissions')
  }

const withRoles = (access: Access, resourceAppId: string, roleIds: readonly string[]): Access => {
  const known = access.find((one) => one.resourceAppId === resourceAppId)?.resourceAccess ?? []
  const added = roleIds.map((id) => ({ id, type: 'Role' }))
  return [
    ...access.filter((one) => one.resourceAppId !== resourceAppId),
    { resourceAppId, resourceAccess: [...known, ...added] },
  ]
}

export const permissionsPage: PageRow = {
  path: applicationPath(':appId', 'API permissions'),
  section: 'App registrations',
  show,
  actions: [
    {
      suffix: '/request',
      run: changeRequests((access, sent) => {
        const prefix = 'role:'
        const names = [...sent.keys()].filter((name) => name.startsWith(prefix))
        const roleIds = names.map((name) => name.slice(prefix.length))
        return withRoles(access, sent.get('api') ?? '', roleIds)
      }),
    },
    {
      suffix: '/withdraw',
      run: changeRequests((access, sent) =>
        access.map((one) =>
          one.resourceAppId === sent.get('api')
            ? {
                ...one,
                resourceAccess: one.resourceAccess.filter(({ id }) => id !== sent.get('role')),
              }
            : one,
        ),
      ),
    },
    {
      suffix: '/consent',
      run: async (request, sent, { req }) => {
        const appId = req.param('appId') ?? ''
        const [chosenApi, chosenRole] = [sent.get('api'), sent.get('role')]
        const registered = await readRegistered(request, appId)
        const principalId = registered.principal?.id ?? ''
        const rows = await permissionRows(request, registered)
        for (const { api, roleId, isRequested, assignment } of rows) {
          if (!isRequested || assignment) continue
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
  ],
}
