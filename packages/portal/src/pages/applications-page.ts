import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { applicationView, isApi, principalOf, searchQuery } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { type Attempt, buttonForm, choice, field, form, problem } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { mark, nextPageLink, pageQuery, table, time } from '../layout/parts.ts'

const path = '/portal/applications'
const pageSize = 50

const listed = applicationView.pick({
  appId: true,
  displayName: true,
  createdDateTime: true,
  identifierUris: true,
  appRoles: true,
  passwordCredentials: true,
  keyCredentials: true,
})

const applicationPage = z.object({
  '@odata.count': z.number().optional(),
  '@odata.nextLink': z.string().optional(),
  value: z.array(listed),
})

const created = z.object({ id: z.string(), appId: z.string() })

const showApplications: PageRow['show'] = async (request, { req }, attempt) => {
  const search = (req.query('search') ?? '').trim()
  const found = await request.graph.get(listPath(search, req.query('after')), applicationPage)
  const { value, '@odata.count': total, '@odata.nextLink': nextLink } = found
  return page(request, {
    title: 'App registrations',
    status: attempt?.status ?? 200,
    content: html`${problem(attempt)}
<form method="get" action="${path}" class="bar"><label>Search by name or application ID
<input type="search" name="search" value="${search}" maxlength="256"></label><button>Search</button></form>
<p>${search ? html`Applications whose names match “${search}”. <a href="${path}">Show all</a>` : total === 1 ? '1 application' : `${total} applications`}</p>
${table(
  'App registrations',
  ['Name', 'Kind', 'Application ID', 'Credentials', 'Created'],
  value.map((one) => [
    html`<a href="${applicationPath(one.appId)}">${one.displayName}</a>`,
    mark('plain', isApi(one) ? 'API' : 'client'),
    html`<code>${one.appId}</code>`,
    credentialSummary(one, request.now),
    time(one.createdDateTime, request.now, ''),
  ]),
  search
    ? 'No application matches. A search finds each word within a name, in any order. One or two letters find the words that they begin.'
    : 'There is no application yet. Register the first one below.',
)}
${nextPageLink(path, nextLink, search ? { search } : {})}
${newApplication(request, attempt)}
<p><a href="/portal/deleted">Deleted applications</a></p>`,
  })
}

const newApplication = (request: AdministratorRequest, attempt: Attempt | undefined) =>
  html`<h2>Register an application</h2>
${form(
  request,
  path,
  html`${field({ name: 'display_name', label: 'Name', required: true, maxLength: 120 }, attempt)}
${choice(
  {
    name: 'kind',
    label: 'Kind',
    help: 'An API gets the identifier URI api://<application ID>. A client has no identifier URI.',
    options: [
      { value: 'client', label: 'Client: a program that calls an API' },
      { value: 'api', label: 'API: a program that is called' },
    ],
  },
  attempt,
)}
<button>Register</button>`,
)}`

function listPath(search: string, after: string | undefined): string {
  const select = Object.keys(listed.shape).join(',')
  const query = pageQuery(pageSize, after, {
    $select: select,
    // A search is not counted: that would read every application.
    ...(search ? searchQuery(search) : { $count: 'true' }),
  })
  return `/applications?${query}`
}

function credentialSummary(
  { passwordCredentials, keyCredentials }: z.output<typeof listed>,
  now: Date,
) {
  const all = [...passwordCredentials, ...keyCredentials]
  if (all.length === 0) return 'none'
  const valid = all.filter(({ endDateTime }) => endDateTime > now)
  if (valid.length === 0) return mark('bad', 'all ended')
  return valid.length === 1 ? '1 valid' : `${valid.length} valid`
}

/** Registers an application with its service principal: registration step 1 or 3. */
const register: ActionRow['run'] = async (request, sent) => {
  const { graph } = request
  const displayName = (sent.get('display_name') ?? '').trim()
  const line = { method: 'POST', path: '/applications' } as const
  const { body } = await graph.send({ ...line, body: { displayName } })
  const { id, appId } = created.parse(body)
  await graph.send({ method: 'POST', path: '/servicePrincipals', body: { appId } })
  if (sent.get('kind') === 'api') {
    const identifierUris = [`api://${appId}`]
    await graph.send({ method: 'PATCH', path: `/applications/${id}`, body: { identifierUris } })
  }
  return applicationPath(appId)
}

/** Makes the service principal of an application that has none. */
export async function createPrincipal(request: AdministratorRequest, appId: string): Promise<void> {
  if ((await principalOf(request, appId)) !== undefined) return
  await request.graph.send({ method: 'POST', path: '/servicePrincipals', body: { appId } })
}

const deletedPath = '/portal/deleted'

const deleted = z.object({
  id: z.string(),
  appId: z.string(),
  displayName: z.string(),
  deletedDateTime: z.iso.datetime().transform((text) => new Date(text)),
})

const deletedList = z.object({
  '@odata.nextLink': z.string().optional(),
  value: z.array(deleted),
})

const showDeleted: PageRow['show'] = async (request, { req }, attempt) => {
  const query = pageQuery(pageSize, req.query('after'))
  const { value, '@odata.nextLink': next } = await request.graph.get(
    `/directory/deletedItems/microsoft.graph.application?${query}`,
    deletedList,
  )
  return page(request, {
    title: 'Deleted applications',
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    status: attempt?.status ?? 200,
    content: html`${problem(attempt)}${table(
      'Deleted applications',
      ['Name', 'Application ID', 'Deleted', 'Restore'],
      value.map(({ id, appId, displayName, deletedDateTime }) => [
        displayName,
        html`<code>${appId}</code>`,
        time(deletedDateTime, request.now),
        buttonForm(request, `${deletedPath}/${id}/restore`, 'Restore', { app_id: appId }),
      ]),
      'No application was deleted in the last 30 days.',
    )}${nextPageLink(deletedPath, next)}`,
  })
}

export const applicationsPage: PageRow = {
  path,
  section: 'App registrations',
  show: showApplications,
  actions: [{ run: register }],
}

export const deletedPage: PageRow = {
  path: deletedPath,
  section: 'App registrations',
  show: showDeleted,
  actions: [
    {
      suffix: '/:id/restore',
      run: async ({ graph }, _sent, { req }) => {
        const id = encodeURIComponent(req.param('id') ?? '')
        const restorePath = `/directory/deletedItems/${id}/restore`
        const { body } = await graph.send({ method: 'POST', path: restorePath })
        return applicationPath(z.object({ appId: z.string() }).parse(body).appId)
      },
    },
  ],
}
