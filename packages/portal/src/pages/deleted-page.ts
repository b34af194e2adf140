import { html } from 'hono/html'
import { z } from 'zod'
import { applicationPath } from '../layout/application-tabs.ts'
import { buttonForm, problem } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import { nextPageLink, pageQuery } from '../layout/paging.ts'
import { table, time } from '../layout/parts.ts'
import type { ActionRow, PageRow } from './page-row.ts'

const path = '/portal/deleted'
const pageSize = 50

const deleted = z.object({
  id: z.string(),
  appId: z.string(),
  displayName: z.string(),
  deletedDateTime: z.iso.datetime().transform((text) => new Date(text)),
})

const deletedPage = z.object({
  '@odata.nextLink': z.string().optional(),
  value: z.array(deleted),
})

const show: PageRow['show'] = async (visit, { req }, attempt) => {
  const query = pageQuery(pageSize, req.query('after'))
  const { value, '@odata.nextLink': next } = await visit.graph.get(
    `/directory/deletedItems/microsoft.graph.application?${query}`,
    deletedPage,
  )
  return page(visit, {
    title: 'Deleted applications',
    section: 'App registrations',
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    status: attempt?.status ?? 200,
    content: html`${problem(attempt)}${table(
      'Deleted applications',
      ['Name', 'Application ID', 'Deleted', 'Restore'],
      value.map(({ id, appId, displayName, deletedDateTime }) => [
        displayName,
        html`<code>${appId}</code>`,
        time(deletedDateTime, visit.now),
        buttonForm(visit, `${path}/${id}/restore`, 'Restore', { app_id: appId }),
      ]),
      'No application was deleted in the last 30 days.',
    )}${nextPageLink(path, next)}`,
  })
}

export const deletedPages: readonly PageRow[] = [{ path, show }]

export const deletedActions: readonly ActionRow[] = [
  {
    path: `${path}/:id/restore`,
    show,
    run: async ({ graph }, _sent, { req }) => {
      const id = encodeURIComponent(req.param('id') ?? '')
      const restorePath = `/directory/deletedItems/${id}/restore`
      const { body } = await graph.send({ method: 'POST', path: restorePath })
      return applicationPath(z.object({ appId: z.string() }).parse(body).appId)
    },
  },
]
