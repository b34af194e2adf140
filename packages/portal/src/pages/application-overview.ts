import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { isApi, type Registered, readRegistered } from '../graph/application-view.ts'
import { explanationsOf } from '../graph/explanations.ts'
import { applicationPath, tabPage } from '../layout/application-page.ts'
import { buttonForm, field, form, hiddenFields } from '../layout/form.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import type { Html } from '../layout/parts.ts'
import { copyable, facts, mark, time } from '../layout/parts.ts'
import { sixSteps } from '../layout/six-steps.ts'
import { createPrincipal } from './applications-page.ts'

const show = tabPage('Overview', async (visit, registered, attempt) => {
  const { application, principal } = registered
  const path = applicationPath(application.appId)
  return html`${await answers(visit, registered)}
${facts([
  ['Kind', mark('plain', isApi(application) ? 'API' : 'client')],
  ['Application (client) ID', copyable(application.appId)],
  ['Object ID', copyable(application.id)],
  ['Directory (tenant) ID', copyable(visit.session.tenantId)],
  ['Created', time(application.createdDateTime, visit.now, 'unknown')],
  ['Service principal', principalState(visit, registered)],
  ...(principal
    ? [
        [
          'Assignment required',
          html`${principal.appRoleAssignmentRequired ? 'yes: a client without a role gets no token' : 'no: a client without a role gets a token without roles'}
${buttonForm(visit, `${path}/assignment-required`, principal.appRoleAssignmentRequired ? 'Do not require' : 'Require', { value: String(!principal.appRoleAssignmentRequired) })}`,
        ] as const,
      ]
    : []),
])}
<h2>Rename</h2>
${form(
  visit,
  `${path}/rename`,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}${field({ name: 'display_name', label: 'Name', value: application.displayName, required: true, maxLength: 120 }, attempt)}<button>Save</button>`,
)}
<h2>Delete</h2>
<p>The application and its service principal can be restored for 30 days. Until then its clients get no tokens.</p>
<details><summary>Delete ${application.displayName}</summary>${buttonForm(visit, `${path}/delete`, 'Delete', {}, 'danger')}</details>`
})

function principalState(visit: AdministratorRequest, { application, principal }: Registered): Html {
  const path = applicationPath(application.appId)
  if (principal === undefined) {
    return html`${mark('bad', 'missing')} ${buttonForm(visit, `${path}/principal`, 'Create')}`
  }
  const isEnabled = principal.accountEnabled !== false
  return html`${mark(isEnabled ? 'good' : 'bad', isEnabled ? 'enabled' : 'disabled')} ${copyable(principal.id)}
${buttonForm(visit, `${path}/enabled`, isEnabled ? 'Disable' : 'Enable', { value: String(!isEnabled) })}`
}

/** The six steps for each API of which a client requests roles. */
async function answers(visit: AdministratorRequest, { application }: Registered): Promise<Html> {
  const { appId, requiredResourceAccess } = application
  const apiIds = [...new Set(requiredResourceAccess.map(({ resourceAppId }) => resourceAppId))]
  if (apiIds.length === 0) return ''
  const explanations = await explanationsOf(visit, appId, apiIds)
  return explanations.map((one) => sixSteps(one, { api: one.apiId, client: appId }))
}

const patchApplication = async (
  visit: AdministratorRequest,
  id: string,
  body: object,
  etag?: string,
) =>
  visit.graph.send({
    method: 'PATCH',
    path: `/applications/${id}`,
    body,
    ifMatch: etag || undefined,
  })

/** Changes one property of the service principal. */
const patchPrincipal =
  (property: 'accountEnabled' | 'appRoleAssignmentRequired'): ActionRow['run'] =>
  async (visit, sent, { req }) => {
    const appId = req.param('appId') ?? ''
    const { principal } = await readRegistered(visit, appId)
    const body = { [property]: sent.get('value') === 'true' }
    await visit.graph.send({
      method: 'PATCH',
      path: `/servicePrincipals/${principal?.id ?? appId}`,
      body,
    })
    return applicationPath(appId)
  }

export const applicationOverview: PageRow = {
  path: applicationPath(':appId'),
  section: 'App registrations',
  show,
  actions: [
    {
      suffix: '/rename',
      run: async (visit, sent, { req }) => {
        const appId = req.param('appId') ?? ''
        const { application } = await readRegistered(visit, appId)
        const displayName = (sent.get('display_name') ?? '').trim()
        await patchApplication(visit, application.id, { displayName }, sent.get('etag'))
        return applicationPath(appId)
      },
    },
    { suffix: '/enabled', run: patchPrincipal('accountEnabled') },
    {
      suffix: '/assignment-required',
      run: patchPrincipal('appRoleAssignmentRequired'),
    },
    {
      suffix: '/principal',
      run: async (visit, _sent, { req }) => {
        const appId = req.param('appId') ?? ''
        await createPrincipal(visit, appId)
        return applicationPath(appId)
      },
    },
    {
      suffix: '/delete',
      run: async (visit, _sent, { req }) => {
        const { application } = await readRegistered(visit, req.param('appId') ?? '')
        await visit.graph.send({ method: 'DELETE', path: `/applications/${application.id}` })
        return '/portal/deleted'
      },
    },
  ],
}
