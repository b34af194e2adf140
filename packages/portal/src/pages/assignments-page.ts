import { GraphRefusalError } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { applicationNames, principalsOf, readRegistered } from '../graph/applications.ts'
import { auditPage } from '../graph/management-views.ts'
import { applicationPath } from '../layout/application-page.ts'
import { applicationPage, revokeAction } from '../layout/application-tab.ts'
import { buttonForm, danger } from '../layout/form.ts'
import type { PageRow } from '../layout/page-row.ts'
import { named, nextPageLink, pageQuery, table, time } from '../layout/parts.ts'

const pageSize = 25

const assignments = z.object({
  '@odata.nextLink': z.string().optional(),
  value: z.array(
    z.object({
      id: z.string(),
      appRoleId: z.string(),
      createdDateTime: z.iso.datetime().transform((text) => new Date(text)),
      principalDisplayName: z.string().nullable(),
      principalId: z.string(),
    }),
  ),
})

const show: PageRow['show'] = async (request, { req }, attempt) => {
  const registered = await readRegistered(request, req.param('appId') ?? '')
  const { application, principal } = registered
  const path = applicationPath(application.appId, 'Role assignments')
  const after = req.query('after')
  // Not counted: that would read every assignment.
  const query = pageQuery(pageSize, after)
  const found = principal
    ? await request.graph.get(
        `/servicePrincipals/${principal.id}/appRoleAssignedTo?${query}`,
        assignments,
      )
    : { '@odata.nextLink': undefined, value: [] }
  const grantors = await Promise.all(found.value.map(({ id }) => grantorOf(request, id)))
  const principals = await principalsOf(
    request,
    found.value.map(({ principalId }) => principalId),
  )
  const linkOf = (id: string, name: string | null) => {
    const { appId } = principals.get(id) ?? {}
    return appId ? html`<a href="${applicationPath(appId)}"><bdi>${name}</bdi></a>` : (name ?? id)
  }
  const roleOf = (id: string) =>
    application.appRoles.find((one) => one.id === id)?.value ?? 'access without a role'
  const isAll = after === undefined && found['@odata.nextLink'] === undefined
  const clients = new Set(found.value.map(({ principalId }) => principalId)).size
  const content = html`<h2>Granted roles, by time</h2>
<p>${isAll ? '' : 'On this page: '}${clients === 1 ? '1 client has' : `${clients} clients have`} a role of this API, in ${found.value.length === 1 ? '1 assignment' : `${found.value.length} assignments`}.</p>
${table(
  'Role assignments',
  ['Client', 'Role', 'Since', 'Granted by', 'Change'],
  found.value.map(
    ({ id, appRoleId, createdDateTime, principalDisplayName, principalId }, index) => [
      linkOf(principalId, principalDisplayName),
      html`<code>${roleOf(appRoleId)}</code>`,
      time(createdDateTime, request.now),
      grantors[index] ?? '',
      danger(
        'Revoke',
        html`New tokens of ${named(principalDisplayName ?? principalId)} lack <code>${roleOf(appRoleId)}</code>.`,
        buttonForm(request, `${path}/revoke`, 'Revoke', { assignment: id }, 'danger'),
      ),
    ],
  ),
  'No client has a role of this API.',
)}
${nextPageLink(path, found['@odata.nextLink'])}`
  return applicationPage(request, registered, 'Role assignments', content, attempt)
}

/** The administrator who granted a role, from the audit log; the reason when the log is not readable. */
async function grantorOf(request: AdministratorRequest, assignmentId: string): Promise<string> {
  const query = new URLSearchParams({
    action: 'appRoleAssignment.create',
    target: assignmentId,
    limit: '1',
  })
  try {
    const { value } = await request.management.get(`/audit?${query}`, auditPage)
    const actor = value[0]?.actor
    if (actor === undefined) return 'before the log begins'
    return (await applicationNames(request, [actor])).get(actor) ?? actor
  } catch (cause) {
    if (cause instanceof GraphRefusalError && cause.status === 403) return 'needs AuditLog.Read.All'
    throw cause
  }
}

export const assignmentsPage: PageRow = {
  path: applicationPath(':appId', 'Role assignments'),
  section: 'App registrations',
  show,
  actions: [revokeAction('Role assignments', 'appRoleAssignedTo')],
}
