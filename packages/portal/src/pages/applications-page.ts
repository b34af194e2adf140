import { html } from 'hono/html'
import { z } from 'zod'
import { clientStates, hasUri, listApplications } from '../graph/application-list.ts'
import { type ApplicationView, kindOf, searchQuery } from '../graph/applications.ts'
import { applicationPath, deletedAgentsPath, deletedPath } from '../layout/application-page.ts'
import { buttonForm } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { PageRow } from '../layout/page-row.ts'
import { mark, nextPageLink, pageQuery, table, time } from '../layout/parts.ts'
import { newApiLink, register, registrationForm } from './registration.ts'

const path = '/portal/applications'
const pageSize = 50

/** The columns that sort the list, by their property. */
const sortable = { Name: 'displayName', Created: 'createdDateTime' } as const
const orderPattern = /^(displayName|createdDateTime) (asc|desc)$/

const showApplications: PageRow['show'] = async (request, { req }, attempt) => {
  const search = (req.query('search') ?? '').trim()
  const kind = req.query('kind') === 'api' ? 'api' : ''
  const order = orderPattern.exec(req.query('order') ?? '')?.[0] ?? 'displayName asc'
  const kept = search ? { search } : kind ? { kind } : {}
  // A search is not counted: that would read every application. Microsoft Graph sorts no filter without a count.
  const asked = search ? searchQuery(search) : { $count: 'true', ...(kind && { $filter: hasUri }) }
  const isSorted = !search || !('$filter' in asked)
  const found = await listApplications(request, {
    ...Object.fromEntries(pageQuery(pageSize, req.query('after'))),
    ...asked,
    ...(isSorted && { $orderby: order }),
  })
  const { value, '@odata.count': total, '@odata.nextLink': nextLink } = found
  const clients = await clientStates(request, value)
  const column = (name: keyof typeof sortable) => {
    const [ascending, descending] = [`${sortable[name]} asc`, `${sortable[name]} desc`]
    const next = order === ascending ? descending : ascending
    const query = new URLSearchParams({ ...kept, order: next })
    const sorted = order === ascending ? 'ascending' : order === descending ? 'descending' : 'none'
    return { name, path: `${path}?${query}`, sorted }
  }
  const what = kind && !search ? 'API' : 'application'
  return page(request, {
    title: 'App registrations',
    attempt,
    action: html`<a href="#register">Register an application</a>${newApiLink(req.query('for') ? 'secondary' : 'primary')}`,
    content: html`<form method="get" action="${path}" class="bar"><label>Search by name or application ID
<input type="search" name="search" value="${search}" maxlength="256"></label><button>Search<span class="read"> applications</span></button></form>
<p>${search ? html`Applications whose names match “${search}”.` : total === 1 ? `1 ${what}` : `${total?.toLocaleString('en') ?? ''} ${what}s`}${(search || kind) && html` <a href="${path}">Show all</a>`}</p>
${table(
  'App registrations',
  [column('Name'), 'Kind', 'State', 'Last token', column('Created'), 'Application ID'],
  value.map((one) => {
    const state = clients.get(one.appId)
    return [
      html`<a href="${applicationPath(one.appId)}">${one.displayName}</a>`,
      mark('plain', kindOf({ application: one, principal: undefined })),
      state
        ? html`<span title="${state.reason}">${mark(state.kind, state.text)}</span>`
        : `${one.appRoles.length} ${one.appRoles.length === 1 ? 'role' : 'roles'}`,
      time(lastUseOf(one), request.now),
      time(one.createdDateTime, request.now, ''),
      html`<code>${one.appId}</code>`,
    ]
  }),
  search
    ? 'No application matches. A search finds each word within a name, in any order. One or two letters find the words that they begin.'
    : 'There is no application yet.',
)}
${nextPageLink(path, nextLink, { ...kept, order })}
${registrationForm(request, (name) => req.query(name), attempt)}
<p><a href="${deletedPath}">Deleted applications</a> <a href="${deletedAgentsPath}">Deleted agents</a></p>`,
  })
}

/** The last token that any credential of the application got. */
const lastUseOf = ({ passwordCredentials, keyCredentials }: ApplicationView) =>
  [...passwordCredentials, ...keyCredentials]
    .flatMap(({ lastUsedDateTime }) => lastUsedDateTime ?? [])
    .toSorted((one, other) => +other - +one)[0]

const deleted = z.object({
  id: z.string(),
  appId: z.string(),
  displayName: z.string(),
  deletedDateTime: z.iso.datetime().transform((text) => new Date(text)),
})

const showDeleted: PageRow['show'] = async (request, { req }, attempt) => {
  const query = pageQuery(pageSize, req.query('after'))
  const [one, type, kept] =
    req.query('kind') === 'agents'
      ? (['agent', 'agentIdentity', { kind: 'agents' }] as const)
      : (['application', 'application', {}] as const)
  const { value, '@odata.nextLink': next } = await request.graph.page(
    `/directory/deletedItems/microsoft.graph.${type}?${query}`,
    deleted,
  )
  const title = `Deleted ${one}s`
  return page(request, {
    title,
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    attempt,
    content: html`${table(
      title,
      ['Name', 'Application ID', 'Deleted', 'Restore'],
      value.map(({ id, appId, displayName, deletedDateTime }) => [
        displayName,
        html`<code>${appId}</code>`,
        time(deletedDateTime, request.now),
        buttonForm(request, `${deletedPath}/${id}/restore`, ['Restore', displayName]),
      ]),
      `No ${one} was deleted in the last 30 days.`,
    )}${nextPageLink(deletedPath, next, kept)}`,
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
