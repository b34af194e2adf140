import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { type Registered, readRegistered } from '../graph/applications.ts'
import { applicationPath, applicationTabRows, type Tab } from './application-page.ts'
import { applicationState } from './application-state.ts'
import { type Attempt, problem } from './form.ts'
import { page } from './page.ts'
import type { ActionRow } from './page-row.ts'
import { type Html, tabs } from './parts.ts'

/** The pages of one application, with the names of Entra. */
const applicationTabs = (appId: string, current: Tab) =>
  tabs(
    'Application',
    applicationTabRows.map(({ name }) => ({ name, path: applicationPath(appId, name) })),
    current,
  )

/** A tab of one application. It begins with what the six steps say about it. */
export async function applicationPage(
  request: AdministratorRequest,
  registered: Registered,
  tab: Tab,
  content: Html,
  attempt?: Attempt,
): Promise<Response> {
  const { appId, displayName } = registered.application
  return page(request, {
    title: displayName,
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    status: attempt?.status ?? 200,
    content: html`${applicationTabs(appId, tab)}${problem(attempt)}
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
      attempt?: Attempt,
    ) => Html | Promise<Html>,
  ) =>
  async (
    request: AdministratorRequest,
    { req }: { readonly req: { param(name: string): string | undefined } },
    attempt?: Attempt,
  ): Promise<Response> => {
    const registered = await readRegistered(request, req.param('appId') ?? '')
    const content = await contentOf(request, registered, attempt)
    return applicationPage(request, registered, tab, content, attempt)
  }

/**
 * The form that withdraws an app role assignment, and shows its page again.
 *
 * @param assignments those of the client, or those to the API that it belongs to
 */
export const revokeAction = (
  tab: Tab,
  assignments: 'appRoleAssignments' | 'appRoleAssignedTo',
): ActionRow => ({
  suffix: '/revoke',
  run: async (request, sent, { req }) => {
    const appId = req.param('appId') ?? ''
    const { principal } = await readRegistered(request, appId)
    const id = encodeURIComponent(sent.get('assignment') ?? '')
    await request.graph.send({
      method: 'DELETE',
      path: `/servicePrincipals/${principal?.id ?? ''}/${assignments}/${id}`,
    })
    return applicationPath(appId, tab)
  },
})
