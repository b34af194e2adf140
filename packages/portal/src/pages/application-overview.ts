import {
  isBlueprint,
  isDefault,
  type Policy,
  policyInForce,
  policyKinds,
} from '@greeting/registrations/planning'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { blueprintOf } from '../graph/agents.ts'
import {
  assignedTo,
  isAgent,
  isApi,
  kindOf,
  type Registered,
  readRegistered,
} from '../graph/applications.ts'
import { permitted, policiesOf, policyKindOf } from '../graph/policies.ts'
import { applicationPath, deletedAgentsPath, deletedPath } from '../layout/application-page.ts'
import {
  type Content,
  changeAction,
  objectPath,
  patchOf,
  tabRow,
} from '../layout/application-tab.ts'
import { buttonForm, choice, danger, field, form, hiddenFields } from '../layout/form.ts'
import type { ActionRow } from '../layout/page-row.ts'
import { copyable, type Fact, facts, type Html, mark, time } from '../layout/parts.ts'
import { optional } from '../layout/refusals.ts'
import { createPrincipal } from './registration.ts'

const content: Content = async (request, registered, attempt) => {
  const { application, principal } = registered
  const path = applicationPath(application.appId)
  const kind = kindOf(registered)
  const { clientsOf } = await assignedTo(request, registered)
  const blueprint = kind === 'agent' ? await blueprintOf(request, registered) : undefined
  return html`${facts([
    ['Kind', html`${mark('plain', kind)} ${blueprint && html`of ${linkTo(blueprint)}`}`],
    ['Application (client) ID', copyable(application.appId)],
    ['Object ID', copyable(application.id)],
    ['Directory (tenant) ID', copyable(request.session.tenantId)],
    ['Created', time(application.createdDateTime, request.now, 'unknown')],
    ['Service principal', principalState(request, registered, clientsOf())],
    principal &&
      kind !== 'agent' && [
        'Assignment required',
        html`${principal.appRoleAssignmentRequired ? 'yes: a client without a role gets no token' : 'no: a client without a role gets a token without roles'}
${buttonForm(request, `${path}/assignment-required`, principal.appRoleAssignmentRequired ? 'Do not require' : 'Require', { value: String(!principal.appRoleAssignmentRequired) })}`,
      ],
  ])}
${kind !== 'agent' && (await optional<Html>(request, policyPart(request, registered), () => ''))}
<h2>Rename</h2>
${form(
  request,
  `${path}/rename`,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}${field({ name: 'display_name', label: 'Name', value: application.displayName, required: true, maxLength: 120 }, attempt)}<button>Save</button>`,
)}
<h2>Delete</h2>
${danger(`Delete ${application.displayName}`, `${isApi(application) ? `No client gets a token of this API any more: ${clientsOf()} with a role will lose it.` : `This ${kind} gets no token any more${kind === 'blueprint' ? ', and neither do its agents' : ''}.`} It can be restored for 30 days.`, buttonForm(request, `${path}/delete`, 'Delete', {}, 'danger'))}`
}

const view = z.object({ id: z.string(), displayName: z.string() })

/** The objects to which policies are assigned. One of the API precedes the default of the tenant (entra E246). */
const holdersOf = ({ application, principal }: Registered) => ({
  appManagement: `/applications/${application.id}`,
  ...(principal && { tokenLifetime: `/servicePrincipals/${principal.id}` }),
})

/** The policies that apply to an application, and the choice of other ones. */
async function policyPart(request: AdministratorRequest, registered: Registered) {
  const { application, principal } = registered
  const holders = holdersOf(registered)
  const [policies, mappings] = await Promise.all([
    policiesOf(request, { holders: Object.values(holders) }),
    principal ? request.graph.list(`${holders.tokenLifetime}/claimsMappingPolicies`, view) : [],
  ])
  const fact = (name: string, kind: Policy['kind']): Fact => {
    const policy = policyInForce(policies, kind, [application.id, principal?.id])
    const link = html`<a href="/portal/policies">${policy?.displayName}</a>`
    return policy && [name, html`${link}: ${permitted(policy)}`]
  }
  const assign = (kind: Policy['kind'], label: string, id = '') => {
    const some = policies.filter((one) => one.kind === kind && !isDefault(one))
    if (some.length === 0) return ''
    const options = some.map((one) => ({ value: one.id, label: one.displayName }))
    const value = some.find(({ appliesTo }) => appliesTo.includes(id))?.id ?? ''
    return form(
      request,
      `${applicationPath(application.appId)}/policy`,
      html`${hiddenFields({ kind })}${choice({ name: 'policy', label, value, options: [{ value: '', label: 'none' }, ...options] })}<button>Assign</button>`,
    )
  }
  const hasTokens = isApi(application) && principal !== undefined
  return html`<h2>Policies</h2>
${facts([
  fact('Credentials', 'appManagement'),
  hasTokens && fact('Its tokens', 'tokenLifetime'),
  ...mappings.map(({ displayName }) => ['Claims mapping', displayName] as const),
])}
${assign('appManagement', 'App management policy', application.id)}
${hasTokens && assign('tokenLifetime', 'Token lifetime policy of this API', principal.id)}`
}

/** Assigns a policy in place of the one of its kind. */
const assignPolicy: ActionRow['run'] = async (request, sent, { req }) => {
  const registered = await readRegistered(request, req.param('appId') ?? '')
  const kind = policyKindOf(sent.get('kind'))
  const path = `${holdersOf(registered)[kind]}/${policyKinds[kind].list}`
  for (const { id } of await request.graph.list(path, view))
    await request.graph.send({ method: 'DELETE', path: `${path}/${id}/$ref` })
  const id = encodeURIComponent(sent.get('policy') ?? '')
  const body = { '@odata.id': `/policies/${policyKinds[kind].list}/${id}` }
  if (id) await request.graph.send({ method: 'POST', path: `${path}/$ref`, body })
  return applicationPath(registered.application.appId)
}

const linkTo = ({ application: { appId, displayName } }: Registered) =>
  html`<a href="${applicationPath(appId)}"><bdi>${displayName}</bdi></a>`

function principalState(
  request: AdministratorRequest,
  { application, principal }: Registered,
  holders: string,
): Html {
  const path = applicationPath(application.appId)
  if (principal === undefined) {
    return html`${mark('bad', 'missing')} ${buttonForm(request, `${path}/principal`, 'Create')}`
  }
  const isEnabled = principal.accountEnabled !== false
  return html`${mark(isEnabled ? 'good' : 'bad', isEnabled ? 'enabled' : 'disabled')} ${copyable(principal.id)}
${isEnabled ? danger('Disable', `${isBlueprint(application) ? 'Its agents get' : 'It gets'} no token until it is enabled. ${isApi(application) ? `No client gets one of its roles: ${holders} with a role.` : ''}`, buttonForm(request, `${path}/enabled`, 'Disable', { value: 'false' }, 'danger')) : buttonForm(request, `${path}/enabled`, 'Enable', { value: 'true' })}`
}

/** Changes one property of the service principal. */
const patchPrincipal = (suffix: string, property: 'accountEnabled' | 'appRoleAssignmentRequired') =>
  changeAction('Overview', suffix, ({ application, principal }, sent) => ({
    method: 'PATCH',
    path: `/servicePrincipals/${principal?.id ?? application.appId}`,
    body: { [property]: sent.get('value') === 'true' },
  }))

export const applicationOverview = tabRow('Overview', content, [
  changeAction('Overview', '/rename', (registered, sent) => {
    const displayName = (sent.get('display_name') ?? '').trim()
    return patchOf(registered, { displayName }, sent.get('etag'))
  }),
  patchPrincipal('/enabled', 'accountEnabled'),
  patchPrincipal('/assignment-required', 'appRoleAssignmentRequired'),
  { suffix: '/policy', run: assignPolicy },
  {
    suffix: '/principal',
    run: async (request, _sent, { req }) => {
      const appId = req.param('appId') ?? ''
      await createPrincipal(request, appId)
      return applicationPath(appId)
    },
  },
  {
    suffix: '/delete',
    run: async (request, _sent, { req }) => {
      const registered = await readRegistered(request, req.param('appId') ?? '')
      await request.graph.send({ method: 'DELETE', path: objectPath(registered) })
      return isAgent(registered) ? deletedAgentsPath : deletedPath
    },
  },
])
