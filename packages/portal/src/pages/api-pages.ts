import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { assignedTo } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { type Content, changeAction, patchOf, tabRow } from '../layout/application-tab.ts'
import {
  type Attempt,
  buttonForm,
  danger,
  field,
  form,
  hiddenFields,
  lines,
  linesOf,
} from '../layout/form.ts'
import { copyable, facts, mark, table } from '../layout/parts.ts'
import { fieldsFor, sentValues } from '../layout/property-fields.ts'

const exposeContent: Content = (request, { application }, attempt) => {
  const { appId, identifierUris } = application
  const path = applicationPath(appId, 'Expose an API')
  const [uri] = identifierUris
  return html`${
    uri === undefined
      ? html`<p class="empty">This application has no identifier URI, so no client can request tokens for it. Enter one, for example <code>api://${appId}</code>.</p>`
      : facts([
          ['Scope for clients', copyable(`${uri}/.default`)],
          ['Audience of v1.0 tokens', copyable(uri)],
          ['Audience of v2.0 tokens', copyable(appId)],
        ])
  }
${form(
  request,
  path,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}
${lines({ name: 'identifier_uris', label: 'Identifier URIs, one per line', value: identifierUris.join('\n') || `api://${appId}` }, attempt)}
${fieldsFor('application', application, attempt)}
<button>Save the URIs and the version</button>`,
)}`
}

const rolesContent: Content = async (request, registered, attempt) => {
  const { application } = registered
  const { clientsOf } = await assignedTo(request, registered)
  const path = applicationPath(application.appId, 'App roles')
  const etag = application['@odata.etag'] ?? ''
  return html`<p>An app role is a permission that this API defines for clients. The <code>roles</code> claim of a token contains its value. Disable a role before you delete it.</p>
${table(
  'App roles',
  ['Value', 'Name', 'Description', 'State', 'ID', 'Change'],
  application.appRoles.map(({ id, value, displayName, description, isEnabled }) => [
    html`<code>${value ?? ''}</code>`,
    displayName ?? '',
    description ?? '',
    mark(isEnabled ? 'good' : 'plain', isEnabled ? 'enabled' : 'disabled'),
    html`<code>${id}</code>`,
    html`${buttonForm(request, `${path}/enabled`, [isEnabled ? 'Disable' : 'Enable', value ?? id], { id, etag, value: String(!isEnabled) })}
${!isEnabled && danger(['Delete', value ?? id], `${clientsOf(id)} with this role will lose it permanently.`, buttonForm(request, `${path}/delete`, ['Delete', value ?? id], { id, etag }, 'danger'))}`,
  ]),
  'This application declares no role. Add the first ones below.',
)}
<h2>Add roles</h2>
${form(
  request,
  `${path}/add`,
  html`${hiddenFields({ etag })}
${roleValues(attempt)}
<details><summary>Display name and description</summary>
${field({ name: 'display_name', label: 'Display name', maxLength: 120, help: 'If empty: the value.' }, attempt)}
${field({ name: 'description', label: 'Description', maxLength: 1024, help: 'If empty: a sentence with the value.' }, attempt)}</details>
<button>Add the roles</button>`,
)}`
}

/** The field for the values of new roles. */
export const roleValues = (attempt?: Attempt) =>
  lines(
    {
      name: 'value',
      label: 'Role values, one per line',
      required: true,
      help: 'As in the roles claim, for example CallHiApiRole.',
    },
    attempt,
  )

/** Roles with these values, named and described by them unless the form has more. */
export const newRoles = (sent: ReadonlyMap<string, string>, newGuid: () => string) =>
  linesOf(sent, 'value').map((value) => ({
    id: newGuid(),
    value,
    displayName: (sent.get('display_name') ?? '').trim() || value,
    description: (sent.get('description') ?? '').trim() || `Allows ${value}.`,
    isEnabled: true,
    allowedMemberTypes: ['Application'],
  }))

type RoleChange = (
  roles: readonly Readonly<Record<string, unknown>>[],
  sent: ReadonlyMap<string, string>,
  request: AdministratorRequest,
) => readonly object[]

/** Writes the whole collection, because Graph has no operation for one role. */
const changeRoles = (suffix: string, change: RoleChange) =>
  changeAction('App roles', suffix, (registered, sent, request) => {
    const appRoles = change(registered.application.appRoles, sent, request)
    return patchOf(registered, { appRoles }, sent.get('etag'))
  })

export const exposePage = tabRow('Expose an API', exposeContent, [
  changeAction('Expose an API', '', (registered, sent) => {
    const changed = {
      identifierUris: linesOf(sent, 'identifier_uris'),
      ...sentValues('application', sent),
    }
    return patchOf(registered, changed, sent.get('etag'))
  }),
])

export const rolesPage = tabRow('App roles', rolesContent, [
  changeRoles('/add', (roles, sent, { host }) => [...roles, ...newRoles(sent, host.newGuid)]),
  changeRoles('/enabled', (roles, sent) =>
    roles.map((role) =>
      role.id === sent.get('id') ? { ...role, isEnabled: sent.get('value') === 'true' } : role,
    ),
  ),
  changeRoles('/delete', (roles, sent) => roles.filter(({ id }) => id !== sent.get('id'))),
])
