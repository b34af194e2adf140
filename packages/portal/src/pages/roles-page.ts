import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { readRegistered } from '../graph/application-view.ts'
import { tabPage } from '../layout/application-page.ts'
import { applicationPath } from '../layout/application-tabs.ts'
import { buttonForm, field, form, hiddenFields } from '../layout/form.ts'
import { mark, table } from '../layout/parts.ts'
import type { ActionRow, PageRow } from './page-row.ts'

const base = '/portal/applications/:appId/roles'

const show = tabPage('App roles', (visit, { application }, attempt) => {
  const path = applicationPath(application.appId, 'App roles')
  const etag = application['@odata.etag'] ?? ''
  return html`<p>A role is a permission of this API for clients. Its value appears in the claim <code>roles</code> of the token. A role is disabled before it is deleted.</p>
${table(
  'App roles',
  ['Value', 'Name', 'Description', 'State', 'ID', 'Change'],
  application.appRoles.map(({ id, value, displayName, description, isEnabled }) => [
    html`<code>${value ?? ''}</code>`,
    displayName ?? '',
    description ?? '',
    mark(isEnabled ? 'good' : 'warn', isEnabled ? 'enabled' : 'disabled'),
    html`<code>${id}</code>`,
    html`${buttonForm(visit, `${path}/enabled`, isEnabled ? 'Disable' : 'Enable', { id, etag, value: String(!isEnabled) })}
${!isEnabled && buttonForm(visit, `${path}/delete`, 'Delete', { id, etag }, 'danger')}`,
  ]),
  'This application declares no role. Add the first one below.',
)}
<h2>Add a role</h2>
${form(
  visit,
  `${path}/add`,
  html`${hiddenFields({ etag })}
${field({ name: 'value', label: 'Value', required: true, maxLength: 120, help: 'As in the claim roles, for example CallHiApiRole.' }, attempt)}
${field({ name: 'display_name', label: 'Display name', required: true, maxLength: 120 }, attempt)}
${field({ name: 'description', label: 'Description', required: true, maxLength: 1024 }, attempt)}
<button>Add</button>`,
)}`
})

type RoleChange = (
  roles: readonly Readonly<Record<string, unknown>>[],
  sent: ReadonlyMap<string, string>,
  visit: AdministratorRequest,
) => readonly object[]

/** Writes the whole collection, because Graph has no operation for one role. */
const changeRoles =
  (change: RoleChange): ActionRow['run'] =>
  async (visit, sent, { req }) => {
    const appId = req.param('appId') ?? ''
    const { application } = await readRegistered(visit, appId)
    await visit.graph.send({
      method: 'PATCH',
      path: `/applications/${application.id}`,
      body: { appRoles: change(application.appRoles, sent, visit) },
      ifMatch: sent.get('etag'),
    })
    return applicationPath(appId, 'App roles')
  }

export const rolesPages: readonly PageRow[] = [{ path: base, show }]

export const rolesActions: readonly ActionRow[] = [
  {
    path: `${base}/add`,
    show,
    run: changeRoles((roles, sent, { host }) => [
      ...roles,
      {
        id: host.newGuid(),
        value: (sent.get('value') ?? '').trim(),
        displayName: (sent.get('display_name') ?? '').trim(),
        description: (sent.get('description') ?? '').trim(),
        isEnabled: true,
        allowedMemberTypes: ['Application'],
      },
    ]),
  },
  {
    path: `${base}/enabled`,
    show,
    run: changeRoles((roles, sent) =>
      roles.map((role) =>
        role.id === sent.get('id') ? { ...role, isEnabled: sent.get('value') === 'true' } : role,
      ),
    ),
  },
  {
    path: `${base}/delete`,
    show,
    run: changeRoles((roles, sent) => roles.filter(({ id }) => id !== sent.get('id'))),
  },
]
