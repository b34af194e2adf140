import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import {
  blueprintOf,
  blueprintPath,
  inheritableApis,
  inheritedAssignments,
} from '../graph/agents.ts'
import { findApis } from '../graph/application-list.ts'
import {
  assignmentsOf,
  findPrincipal,
  isAgent,
  kindOf,
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
import { empty, type Html, mark, named, table } from '../layout/parts.ts'

const maxFoundApis = 10

/** A role that a client requests, has, or both. */
type PermissionRow = {
  readonly api: Pick<Principal, 'id' | 'appId' | 'displayName'>
  readonly roleId: string
  readonly name: string
  /** What the role permits, in words. */
  readonly permits: string
  readonly isRequested: boolean
  readonly assignmentId: string | undefined
  /** The blueprint from which an agent inherits it. */
  readonly from: Registered | undefined
}

const content: Content = async (request, registered, _attempt, req) => {
  const { appId } = registered.application
  const rows = await permissionRows(request, registered)
  const path = applicationPath(appId, 'API permissions')
  const search = (req.query('api') ?? '').trim()
  const kind = kindOf(registered)
  const inheritable = await inheritableApis(request, registered)
  return html`<h2>${kind === 'agent' ? 'Own and inherited roles' : 'Requested and granted roles'}</h2>
${table(
  'Permissions',
  [
    'API',
    'Role',
    ...(kind === 'agent' ? ['Source'] : ['Requested', 'Granted']),
    ...(kind === 'blueprint' ? ['Agents'] : []),
    'Change',
  ],
  rows.map((row) => permissionCells(request, registered, row, path, inheritable)),
  kind === 'agent'
    ? 'This agent has no role. Assign the first one below, or let it inherit one from its blueprint.'
    : 'This client requests no role. Request the first one below.',
)}
${kind === 'blueprint' && html`<p>Agents inherit a role of the blueprint only if you allow it for the API of the role. A blueprint can allow it for at most 10 APIs.</p>`}
<div class="screen"><h2>${kind === 'agent' ? 'Assign' : 'Request'} a role</h2>
<form method="get" action="${path}" class="bar"><label>Find an API by name or application ID
<input type="search" name="api" value="${search}" maxlength="256"></label><button>Find APIs</button></form>
${await offeredRoles(request, registered, rows, search)}</div>`
}

function permissionCells(
  request: AdministratorRequest,
  registered: Registered,
  { api, roleId, name, permits, isRequested, assignmentId, from }: PermissionRow,
  path: string,
  inheritable: ReadonlyMap<string, boolean>,
): Html[] {
  const { application } = registered
  const kind = kindOf(registered)
  const inherits = inheritable.get(api.appId) === true
  const fields = { api: api.appId, role: roleId, etag: application['@odata.etag'] ?? '' }
  return [
    html`<a href="${applicationPath(api.appId)}">${api.displayName}</a>`,
    html`<code>${name}</code>${permits !== name && html`<br><small>${permits}</small>`}`,
    ...(kind === 'agent'
      ? [
          from
            ? html`${mark('plain', 'inherited')} from <a href="${applicationPath(from.application.appId, 'API permissions')}"><bdi>${from.application.displayName}</bdi></a>`
            : mark('good', 'assigned'),
        ]
      : [
          mark(isRequested ? 'good' : 'plain', isRequested ? 'requested' : 'not requested'),
          assignmentId ? mark('good', 'granted') : mark('bad', 'not granted'),
        ]),
    ...(kind === 'blueprint'
      ? [
          html`${mark(inherits ? 'good' : 'plain', inherits ? 'inherit' : 'do not inherit')}
${buttonForm(request, `${path}/inherit`, [inherits ? 'Stop inheritance' : 'Let agents inherit', name], { api: api.appId, value: String(!inherits) })}`,
        ]
      : []),
    html`${isRequested && buttonForm(request, `${path}/withdraw`, ['Withdraw request', `for ${name}`], fields)}
${isRequested && !assignmentId && buttonForm(request, `${path}/consent`, ['Grant', name], { api: api.appId, role: roleId })}
${assignmentId && danger(['Revoke', name], html`New tokens for ${named(application.displayName)} will not contain <code>${name}</code>.`, buttonForm(request, `${path}/revoke`, ['Revoke', name], { assignment: assignmentId }, 'danger'))}`,
  ]
}

/** The roles of the APIs that match, each with a box. */
async function offeredRoles(
  request: AdministratorRequest,
  registered: Registered,
  rows: readonly PermissionRow[],
  search: string,
): Promise<Html> {
  const found = await findApis(request, search)
  if (found.length === 0) return empty('No API with an enabled role matches.')
  const isManagement = ({ appId }: Principal) => request.host.managementApiIds.includes(appId)
  const offers = (apis: readonly Principal[]) =>
    apis.slice(0, maxFoundApis).map((api) => offer(request, registered, rows, api))
  const managing = found.filter(isManagement)
  return html`${offers(found.filter((one) => !isManagement(one)))}
${
  managing.length > 0 &&
  html`<details><summary>${mark('bad', 'dangerous')} Roles that administer this directory and this server</summary>
<p class="problem">A client with such a role can change applications, grant itself roles, or read logs and keys. Your own APIs need none of these roles.</p>${offers(managing)}</details>`
}`
}

/** The roles of one API that a client does not request yet, or that an agent does not have itself. */
function offer(
  request: AdministratorRequest,
  registered: Registered,
  rows: readonly PermissionRow[],
  api: Principal,
): Html {
  const { application } = registered
  const [verb, done] = isAgent(registered) ? ['Assign', 'assigned'] : ['Request', 'requested']
  const path = applicationPath(application.appId, 'API permissions')
  const has = (roleId: string) =>
    rows.some(
      (one) =>
        one.api.appId === api.appId &&
        one.roleId === roleId &&
        (isAgent(registered) ? one.assignmentId : one.isRequested),
    )
  const offered = api.appRoles.filter(({ id, isEnabled }) => isEnabled && !has(id))
  return html`<h3><bdi>${api.displayName}</bdi> <small><code>${api.appId}</code></small></h3>
${
  offered.length === 0
    ? html`<p>All roles of this API are already ${done}.</p>`
    : form(
        request,
        `${path}/${verb.toLowerCase()}`,
        html`${hiddenFields({ api: api.appId, etag: application['@odata.etag'] ?? '' })}
<fieldset><legend>Roles of <bdi>${api.displayName}</bdi></legend>${offered.map(
          ({ id, value, displayName }) =>
            html`<label><input type="checkbox" name="role:${id}" value="yes"> <code>${value ?? id}</code> ${displayName !== value && displayName}</label>`,
        )}</fieldset><button>${verb} the roles</button>`,
      )
}`
}

/** The roles that a client requests, then those that it has without a request, and those that an agent inherits. */
async function permissionRows(
  request: AdministratorRequest,
  registered: Registered,
): Promise<PermissionRow[]> {
  const { application, principal } = registered
  const from = isAgent(registered) ? await blueprintOf(request, registered) : undefined
  const own = principal ? await assignmentsOf(request, principal.id) : []
  const inherited = await inheritedAssignments(request, from)
  const assignments = [...own, ...inherited]
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
  const rows = pairs.map(({ api, roleId }) => {
    const role = api.appRoles.find(({ id }) => id === roleId)
    const assignmentId = own.find(
      (one) => one.resourceId === api.id && one.appRoleId === roleId,
    )?.id
    return {
      api,
      roleId,
      name: role?.value ?? roleId,
      permits: role?.displayName ?? '',
      isRequested: requestedRoles(application, api.appId).includes(roleId),
      assignmentId,
      from: assignmentId ? undefined : from,
    }
  })
  return [...new Map(rows.map((row) => [`${row.api.appId} ${row.roleId}`, row])).values()]
}

type Access = Registered['application']['requiredResourceAccess']

const prefix = 'role:'

/** The roles with a box in a form that was sent. */
const chosenRoles = (sent: ReadonlyMap<string, string>) =>
  [...sent.keys()].flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : []))

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
  changeRequests('/request', (access, sent) =>
    withRoles(access, sent.get('api') ?? '', chosenRoles(sent)),
  ),
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
  {
    suffix: '/assign',
    run: async (request, sent, { req }) => {
      const { application, principal } = await readRegistered(request, req.param('appId') ?? '')
      const api = await findPrincipal(request, sent.get('api') ?? '')
      for (const appRoleId of chosenRoles(sent)) {
        const body = { principalId: principal?.id ?? '', resourceId: api.id, appRoleId }
        const path = `/servicePrincipals/${api.id}/appRoleAssignedTo`
        await request.graph.send({ method: 'POST', path, body })
      }
      return applicationPath(application.appId, 'API permissions')
    },
  },
  {
    suffix: '/inherit',
    run: async (request, sent, { req }) => {
      const registered = await readRegistered(request, req.param('appId') ?? '')
      const api = sent.get('api') ?? ''
      const kind = sent.get('value') === 'false' ? 'none' : 'allAllowed'
      const path = blueprintPath(registered.application, 'inheritablePermissions')
      const isKnown = (await inheritableApis(request, registered)).has(api)
      const body = { inheritableRoles: { kind } }
      await request.graph.send(
        isKnown
          ? { method: 'PATCH', path: `${path}/${encodeURIComponent(api)}`, body }
          : { method: 'POST', path, body: { resourceAppId: api, ...body } },
      )
      return applicationPath(registered.application.appId, 'API permissions')
    },
  },
  revokeAction('API permissions', 'appRoleAssignments'),
])
