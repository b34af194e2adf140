import type { GraphRequest } from '@greeting/registrations/apply'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { type Registered, readRegistered } from '../graph/applications.ts'
import type { Form } from '../security/portal-form.ts'
import { applicationPath, applicationTabRows, type Tab } from './application-page.ts'
import { applicationState } from './application-state.ts'
import type { Attempt } from './form.ts'
import { page } from './page.ts'
import type { ActionRow, PageRow } from './page-row.ts'
import { type Html, linkList } from './parts.ts'

/** A tab of one application. It begins with what the six steps say about it. */
export async function applicationPage(
  request: AdministratorRequest,
  registered: Registered,
  tab: Tab,
  content: Html,
  attempt?: Attempt,
): Promise<Response> {
  const { appId, displayName } = registered.application
  const links = applicationTabRows.map(({ name }) => ({ name, path: applicationPath(appId, name) }))
  return page(request, {
    title: displayName,
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    attempt,
    content: html`${linkList('Application', 'tabs', links, tab)}
${await applicationState(request, registered, applicationPath(appId, tab))}${content}`,
  })
}

/** Makes a tab from the application in the path. */
export const tabPage =
  (
    tab: Tab,
    contentOf: (
      request: AdministratorRequest,
      registered: Registered,
      attempt: Attempt | undefined,
      req: Context['req'],
    ) => Html | Promise<Html>,
  ): PageRow['show'] =>
  async (request, { req }, attempt) => {
    const registered = await readRegistered(request, req.param('appId') ?? '')
    const content = await contentOf(request, registered, attempt, req)
    return applicationPage(request, registered, tab, content, attempt)
  }

/** A form that sends one change of an application, and shows its tab again. */
export const changeAction = (
  tab: Tab,
  suffix: string,
  change: (registered: Registered, sent: Form, request: AdministratorRequest) => GraphRequest,
): ActionRow => ({
  suffix,
  run: async (request, sent, { req }) => {
    const registered = await readRegistered(request, req.param('appId') ?? '')
    await request.graph.send(change(registered, sent, request))
    return applicationPath(registered.application.appId, tab)
  },
})

/**
 * The form that withdraws an app role assignment.
 *
 * @param assignments those of the client, or those to the API that it belongs to
 */
export const revokeAction = (tab: Tab, assignments: 'appRoleAssignments' | 'appRoleAssignedTo') =>
  changeAction(tab, '/revoke', ({ principal }, sent) => ({
    method: 'DELETE',
    path: `/servicePrincipals/${principal?.id ?? ''}/${assignments}/${encodeURIComponent(sent.get('assignment') ?? '')}`,
  }))

/** The change of some properties of an application, if it is still the same. */
export const patchOf = (
  { application }: Registered,
  body: object,
  ifMatch?: string,
): GraphRequest => ({ method: 'PATCH', path: `/applications/${application.id}`, body, ifMatch })
