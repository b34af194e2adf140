import type { GraphRequest } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import {
  agentsOf,
  agentsPath,
  blueprintPath,
  inheritedAssignments,
  sponsorsBody,
} from '../graph/agents.ts'
import { principalsBy, principalsWithAssignments, readRegistered } from '../graph/applications.ts'
import { auditPage } from '../graph/management-views.ts'
import { applicationPath, deletedAgentsPath } from '../layout/application-page.ts'
import { type Content, changeAction, tabRow } from '../layout/application-tab.ts'
import { buttonForm, danger, field, form } from '../layout/form.ts'
import { type Html, mark, named, nextPageLink, pageQuery, table, time } from '../layout/parts.ts'
import { optional } from '../layout/refusals.ts'
import type { Form } from '../security/portal-form.ts'

const tab = 'Agents'
const pageSize = 25

const content: Content = async (request, registered, attempt, req) => {
  const { application } = registered
  const path = applicationPath(application.appId, tab)
  const query = Object.fromEntries(pageQuery(pageSize, req.query('after')))
  const [found, sponsors] = await Promise.all([
    agentsOf(request, application.appId, query),
    request.graph.list(blueprintPath(application, 'sponsors'), z.object({ id: z.string() })),
  ])
  const ids = found.value.map(({ id }) => id)
  const holders = await principalsWithAssignments(request, 'id', ids)
  const assigned = holders.flatMap(({ appRoleAssignments }) => appRoleAssignments)
  const inherited = await inheritedAssignments(request, registered)
  const valuesOf = await roleValues(request, [...assigned, ...inherited])
  const lastTokens = await Promise.all(
    ids.map((id) => optional<Html>(request, lastTokenOf(request, id), (sentence) => sentence)),
  )
  return html`${inherited.length > 0 && html`<p>Each agent inherits <code>${valuesOf(inherited)}</code>.</p>`}
${table(
  'Agents',
  ['Agent', 'State', 'Own roles', 'Last token', 'Client ID', 'Change'],
  found.value.map(({ id, displayName, accountEnabled }, index) => {
    const isEnabled = accountEnabled !== false
    const fields = { id, value: String(!isEnabled) }
    return [
      html`<a href="${applicationPath(id)}"><bdi>${displayName}</bdi></a>`,
      mark(isEnabled ? 'good' : 'bad', isEnabled ? 'enabled' : 'disabled'),
      valuesOf(assigned.filter((one) => one.principalId === id)) || 'none',
      lastTokens[index] ?? '',
      html`<code>${id}</code>`,
      html`${buttonForm(request, `${path}/enabled`, [isEnabled ? 'Disable' : 'Enable', displayName], fields)}
${danger(['Delete', displayName], html`${named(displayName)} no longer gets tokens. It can be restored for 30 days.`, buttonForm(request, `${path}/delete`, ['Delete', displayName], { id }, 'danger'))}`,
    ]
  }),
  'This blueprint has no agent. Create the first one below.',
)}
${nextPageLink(path, found['@odata.nextLink'])}
<h2 id="new">Create an agent</h2>
<p>An agent has no credential of its own: it authenticates with those of this blueprint. It has the roles that are assigned to it, and those that it inherits from the blueprint.</p>
${form(
  request,
  `${path}/create`,
  html`${field({ name: 'display_name', label: 'Name', required: true, maxLength: 120 }, attempt)}
${sponsorField(sponsors[0]?.id, attempt)}<button>Create the agent</button>`,
)}
<p><a href="${deletedAgentsPath}">Deleted agents</a></p>`
}

/** The field for the user or the group that answers for a blueprint or an agent. */
export const sponsorField = (value: string | undefined, attempt: Parameters<typeof field>[1]) =>
  field(
    {
      name: 'sponsor',
      label: 'Sponsor: object ID of a user or a group',
      help: 'The people who are responsible for the agents. Entra ID requires a sponsor. This server has no sign-in for users, so it accepts any GUID.',
      value: value ?? '',
      maxLength: 36,
    },
    attempt,
  )

/** The time of the last token that a client got, in words. */
async function lastTokenOf({ management, now }: AdministratorRequest, actor: string) {
  const asked = { log: 'signIns', action: 'token.issue', outcome: 'done', actor, limit: '1' }
  const { value } = await management.get(`/audit?${new URLSearchParams(asked)}`, auditPage)
  return time(value[0]?.at, now)
}

/** The values of the roles of some assignments, each once. */
async function roleValues(request: AdministratorRequest, assignments: readonly Assignment[]) {
  const ids = assignments.map(({ resourceId }) => resourceId)
  const apis = [...(await principalsBy(request, 'id', ids)).values()]
  const roles = new Map(apis.flatMap(({ appRoles }) => appRoles.map((one) => [one.id, one.value])))
  return (some: readonly Assignment[]) =>
    [...new Set(some.map(({ appRoleId }) => roles.get(appRoleId) ?? appRoleId))]
      .toSorted()
      .join(', ')
}

type Assignment = Awaited<ReturnType<typeof inheritedAssignments>>[number]

const change = (suffix: string, changeOf: (id: string, sent: Form) => GraphRequest) =>
  changeAction(tab, suffix, (_registered, sent) =>
    changeOf(encodeURIComponent(sent.get('id') ?? ''), sent),
  )

export const agentsPage = tabRow(tab, content, [
  {
    suffix: '/create',
    run: async (request, sent, { req }) => {
      const { application } = await readRegistered(request, req.param('appId') ?? '')
      const { body } = await request.graph.send({
        method: 'POST',
        path: agentsPath,
        body: {
          displayName: (sent.get('display_name') ?? '').trim(),
          agentIdentityBlueprintId: application.appId,
          ...sponsorsBody((sent.get('sponsor') ?? '').trim()),
        },
      })
      return applicationPath(z.object({ id: z.string() }).parse(body).id)
    },
  },
  change('/enabled', (id, sent) => ({
    method: 'PATCH',
    path: `/servicePrincipals/${id}`,
    body: { accountEnabled: sent.get('value') === 'true' },
  })),
  change('/delete', (id) => ({ method: 'DELETE', path: `/servicePrincipals/${id}` })),
])
