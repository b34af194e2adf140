import { isBlueprint } from '@greeting/registrations/directory'
import { html } from 'hono/html'
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
import { applicationPath, deletedAgentsPath, deletedPath } from '../layout/application-page.ts'
import {
  type Content,
  changeAction,
  objectPath,
  patchOf,
  tabRow,
} from '../layout/application-tab.ts'
import { buttonForm, danger, field, form, hiddenFields } from '../layout/form.ts'
import { copyable, facts, type Html, mark, time } from '../layout/parts.ts'
import { fieldsFor, sentValues } from '../layout/property-fields.ts'
import type { Form } from '../security/portal-form.ts'
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
  ])}
${principal && kind !== 'agent' && form(request, `${path}/properties`, html`${fieldsFor('servicePrincipal', principal, attempt)}<button>Save the requirement</button>`)}
<details${attempt ? html` open` : ''}><summary>Rename<span class="read"> ${application.displayName}</span></summary>
${form(
  request,
  `${path}/rename`,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}${field({ name: 'display_name', label: 'Name', value: application.displayName, required: true, maxLength: 120 }, attempt)}<button>Save the name</button>`,
)}</details>
${danger(`Delete ${application.displayName}`, `${isApi(application) ? `Clients can no longer request tokens for this API: ${clientsOf()} with a role will lose it.` : `This ${kind} no longer gets tokens${kind === 'blueprint' ? ', and its agents do not either' : ''}.`} It can be restored for 30 days.`, buttonForm(request, `${path}/delete`, ['Delete', application.displayName], {}, 'danger'))}`
}

const linkTo = ({ application: { appId, displayName } }: Registered) =>
  html`<a href="${applicationPath(appId)}"><bdi>${displayName}</bdi></a>`

function principalState(
  request: AdministratorRequest,
  { application, principal }: Registered,
  holders: string,
): Html {
  const path = applicationPath(application.appId)
  if (principal === undefined)
    return html`${mark('bad', 'missing')} ${buttonForm(request, `${path}/principal`, 'Create the service principal')}`
  const isEnabled = principal.accountEnabled !== false
  return html`${mark(isEnabled ? 'good' : 'bad', isEnabled ? 'enabled' : 'disabled')} ${copyable(principal.id)}
${isEnabled ? danger(['Disable', application.displayName], `${isBlueprint(application) ? 'Its agents get' : 'It gets'} no token until it is enabled. ${isApi(application) ? `Clients get no token for it either, among them ${holders} with a role.` : ''}`, buttonForm(request, `${path}/enabled`, ['Disable', application.displayName], { value: 'false' }, 'danger')) : buttonForm(request, `${path}/enabled`, ['Enable', application.displayName], { value: 'true' })}`
}

/** Changes one property of the service principal. */
const patchPrincipal = (suffix: string, bodyOf: (sent: Form) => object) =>
  changeAction('Overview', suffix, ({ application, principal }, sent) => ({
    method: 'PATCH',
    path: `/servicePrincipals/${principal?.id ?? application.appId}`,
    body: bodyOf(sent),
  }))

export const applicationOverview = tabRow('Overview', content, [
  changeAction('Overview', '/rename', (registered, sent) => {
    const displayName = (sent.get('display_name') ?? '').trim()
    return patchOf(registered, { displayName }, sent.get('etag'))
  }),
  patchPrincipal('/enabled', (sent) => ({ accountEnabled: sent.get('value') === 'true' })),
  patchPrincipal('/properties', (sent) => sentValues('servicePrincipal', sent)),
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
