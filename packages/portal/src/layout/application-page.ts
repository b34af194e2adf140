import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { type Registered, readRegistered } from '../graph/application-view.ts'
import { applicationTabs, type Tab } from './application-tabs.ts'
import { type Attempt, problem } from './form.ts'
import type { Html } from './html.ts'
import { page } from './page.ts'

/** A tab of one application. */
export async function applicationPage(
  visit: AdministratorRequest,
  registered: Registered,
  tab: Tab,
  content: Html,
  attempt?: Attempt,
): Promise<Response> {
  const { appId, displayName } = registered.application
  return page(visit, {
    title: displayName,
    section: 'App registrations',
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    status: attempt?.status ?? 200,
    content: html`${applicationTabs(appId, tab)}${problem(attempt)}${content}`,
  })
}

/** Makes a tab from the application in the path. */
export const tabPage =
  (
    tab: Tab,
    contentOf: (
      visit: AdministratorRequest,
      registered: Registered,
      attempt?: Attempt,
    ) => Html | Promise<Html>,
  ) =>
  async (
    visit: AdministratorRequest,
    { req }: { readonly req: { param(name: string): string | undefined } },
    attempt?: Attempt,
  ): Promise<Response> => {
    const registered = await readRegistered(visit, req.param('appId') ?? '')
    const content = await contentOf(visit, registered, attempt)
    return applicationPage(visit, registered, tab, content, attempt)
  }
