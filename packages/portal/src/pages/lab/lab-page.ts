import { html } from 'hono/html'
import type { AdministratorRequest } from '../../graph/administrator-request.ts'
import { actionFault } from '../../graph/administrator-request.ts'
import type { InProcessGraph } from '../../graph/in-process-graph.ts'
import { plainPage } from '../../layout/error-pages.ts'
import { type Attempt, problem } from '../../layout/form.ts'
import type { Html } from '../../layout/html.ts'
import { page } from '../../layout/page.ts'
import { tabs } from '../../layout/tabs.ts'
import type { ActionRow, PageRow } from '../page-row.ts'

export const labPaths = {
  Faults: '/portal/lab',
  Clock: '/portal/lab/clock',
  Forgeries: '/portal/lab/forgeries',
  Requests: '/portal/lab/requests',
} as const

type LabTab = keyof typeof labPaths

const links = Object.entries(labPaths).map(([name, path]) => ({ name, path }))

/** A tab of the lab. */
export const labPage = (
  visit: AdministratorRequest,
  tab: LabTab,
  content: Html,
  attempt?: Attempt,
) =>
  page(visit, {
    title: 'Lab',
    section: 'Lab',
    status: attempt?.status ?? 200,
    content: html`<p class="note">This server makes forged tokens and faults. Never use it in production.</p>
${tabs('Lab', links, tab)}${problem(attempt)}${content}`,
  })

type LabContent = (
  lab: InProcessGraph,
  visit: AdministratorRequest,
  context: Parameters<PageRow['show']>[1],
  attempt?: Attempt,
) => Promise<Html>

/** Makes a tab of the lab from its content. Without a lab, the page does not exist. */
export const labTab =
  (tab: LabTab, contentOf: LabContent): PageRow['show'] =>
  async (visit, context, attempt) =>
    visit.lab === undefined
      ? plainPage('Not found', 'The lab is off. The setting LAB=on turns it on.', 404, visit)
      : labPage(visit, tab, await contentOf(visit.lab, visit, context, attempt), attempt)

/** Makes a form of the lab from its request. */
export const labAction =
  (
    next: string,
    run: (lab: InProcessGraph, sent: ReadonlyMap<string, string>) => Promise<unknown>,
  ): ActionRow['run'] =>
  async ({ lab }, sent) => {
    if (lab === undefined) throw actionFault('The lab is off.')
    await run(lab, sent)
    return next
  }
