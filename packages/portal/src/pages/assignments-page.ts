import { GraphRefusalError } from '@greeting/registrations/apply'
import { appRoleAssignment } from '@greeting/registrations/directory'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { principalsBy } from '../graph/applications.ts'
import { auditPage } from '../graph/management-views.ts'
import { applicationNames } from '../graph/names.ts'
import { applicationPath } from '../layout/application-page.ts'
import { type Content, revokeAction, tabRow } from '../layout/application-tab.ts'
import { buttonForm, danger } from '../layout/form.ts'
import { named, nextPageLink, pageQuery, table, time } from '../layout/parts.ts'

const pageSize = 25

const assignment = appRoleAssignment.extend({
  principalDisplayName: z.string().nullable(),
})

const content: Content = async (request, { application, principal }, _attempt, req) => {
  const path = applicationPath(application.appId, 'Role assignments')
  const after = req.query('after')
  // Not counted: that would read every assignment.
  const query = pageQuery(pageSize, after)
  const { value, '@odata.nextLink': next } = principal
    ? await request.graph.page(
        `/servicePrincipals/${principal.id}/appRoleAssignedTo?${query}`,
        assignment,
      )
    : { value: [] }
  const clientIds = [...new Set(value.map(({ principalId }) => principalId))]
  const principals = await principalsBy(request, 'id', clientIds)
  const grantors = await Promise.all(value.map(({ id }) => grantorOf(request, id)))
  const roleOf = (id: string) =>
    application.appRoles.find((one) => one.id === id)?.value ?? 'default access'
  const isAll = after === undefined && next === undefined
  return html`<h2>Granted roles, by time</h2>
<p>${isAll ? '' : 'On this page: '}${clientIds.length === 1 ? '1 client has' : `${clientIds.length} clients have`} a role of this API, in ${value.length === 1 ? '1 assignment' : `${value.length} assignments`}.</p>
${table(
  'Role assignments',
  ['Client', 'Role', 'Since', 'Granted by', 'Change'],
  value.map((one, index) => {
    const { appId } = principals.get(one.principalId) ?? {}
    const name = one.principalDisplayName ?? one.principalId
    const role = html`<code>${roleOf(one.appRoleId)}</code>`
    return [
      appId ? html`<a href="${applicationPath(appId)}"><bdi>${name}</bdi></a>` : name,
      role,
      time(one.createdDateTime, request.now),
      grantors[index] ?? '',
      danger(
        ['Revoke', name],
        html`New tokens for ${named(name)} will not contain ${role}.`,
        buttonForm(request, `${path}/revoke`, ['Revoke', name], { assignment: one.id }, 'danger'),
      ),
    ]
  }),
  'No client has a role of this API.',
)}
${nextPageLink(path, next)}`
}

/** The administrator who granted a role, from the audit log; the reason when the log is not readable. */
async function grantorOf(request: AdministratorRequest, assignmentId: string): Promise<string> {
  const asked = { action: 'appRoleAssignment.create', target: assignmentId, limit: '1' }
  const query = new URLSearchParams(asked)
  try {
    const { value } = await request.management.get(`/audit?${query}`, auditPage)
    const actor = value[0]?.actor
    if (actor === undefined) return 'before the log began'
    return (await applicationNames(request, [actor])).get(actor) ?? actor
  } catch (cause) {
    if (cause instanceof GraphRefusalError && cause.status === 403) return 'needs AuditLog.Read.All'
    throw cause
  }
}

export const assignmentsPage = tabRow('Role assignments', content, [
  revokeAction('Role assignments', 'appRoleAssignedTo'),
])
