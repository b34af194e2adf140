import { findApplications, GraphRefusalError } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import { z } from 'zod'
import { type AdministratorRequest, actionFault } from '../graph/administrator-request.ts'
import { newBlueprintPath, sponsorsBody } from '../graph/agents.ts'
import { principalOf } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { type Attempt, choice, field, form, hiddenFields } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { refusalSentence } from '../layout/refusals.ts'
import type { Form } from '../security/portal-form.ts'
import { sponsorField } from './agents-page.ts'
import { newRoles, roleValues } from './api-pages.ts'
import { makeSecret } from './credentials-page.ts'

const created = z.object({ id: z.string(), appId: z.string() })

/** A text field for the name of a new application. */
const nameField = (name: string, label: string, attempt: Attempt | undefined) =>
  field({ name, label, required: true, maxLength: 120 }, attempt)

const registerAnyway = 'Send the form again to register another one.'

/** Refuses a name that an application has, until the form is sent again with the same name. */
async function requireNewName(request: AdministratorRequest, sent: Form, name: string) {
  const displayName = (sent.get(name) ?? '').trim()
  const found = displayName === '' ? [] : await findApplications(request.graph, displayName)
  const count = found.filter((one) => one.displayName === displayName).length
  if (count === 0 || sent.get(`known_${name}`) === displayName) return displayName
  const have = count === 1 ? '1 application already has' : `${count} applications already have`
  throw actionFault(`${have} the name “${displayName}”. ${registerAnyway}`)
}

/** After a warning, the names that the administrator was warned of. */
const knownNames = (attempt: Attempt | undefined, ...names: readonly string[]) =>
  attempt?.message.endsWith(registerAnyway)
    ? hiddenFields(
        Object.fromEntries(
          names.map((name) => [`known_${name}`, (attempt.form.get(name) ?? '').trim()]),
        ),
      )
    : ''

/** The form for a new application. */
export const registrationForm = (
  request: AdministratorRequest,
  sought: (name: string) => string | undefined,
  attempt: Attempt | undefined,
) =>
  html`<h2 id="register">Register an application</h2>
${form(
  request,
  '/portal/applications',
  html`${knownNames(attempt, 'display_name')}${hiddenFields({ for: sought('for') ?? attempt?.form.get('for') ?? '' })}${nameField('display_name', 'Name', attempt)}
${choice(
  {
    name: 'kind',
    label: 'Kind',
    help: 'An API gets the identifier URI api://<application ID>. A client has no identifier URI.',
    value: sought('kind'),
    options: [
      { value: 'client', label: 'Client: a program that calls an API' },
      { value: 'api', label: 'API: a program that clients call' },
      { value: 'blueprint', label: 'Blueprint: a program that authenticates agents' },
    ],
  },
  attempt,
)}
<details${attempt?.form.get('kind') === 'blueprint' ? html` open` : ''}><summary>Sponsor of a blueprint</summary>${sponsorField('', attempt)}</details>
<button${sought('for') ? html` class="primary"` : ''}>Register<span class="read"> the application</span></button>`,
)}`

/** Creates an application with its service principal: registration step 1 or 3. */
async function create({ graph }: AdministratorRequest, body: object, path = '/applications') {
  const application = await graph.send({ method: 'POST', path, body })
  const { id, appId } = created.parse(application.body)
  const principal = await graph.send({
    method: 'POST',
    path: '/servicePrincipals',
    body: { appId },
  })
  return { id, appId, principalId: created.parse(principal.body).id }
}

const patch = ({ graph }: AdministratorRequest, id: string, body: object) =>
  graph.send({ method: 'PATCH', path: `/applications/${id}`, body })

export const register: ActionRow['run'] = async (request, sent) => {
  const displayName = await requireNewName(request, sent, 'display_name')
  if (sent.get('kind') === 'blueprint') {
    const sponsor = (sent.get('sponsor') ?? '').trim()
    if (sponsor === '') throw actionFault('A blueprint needs a sponsor.')
    const body = { displayName, ...sponsorsBody(sponsor) }
    return applicationPath((await create(request, body, newBlueprintPath)).appId)
  }
  const { id, appId } = await create(request, { displayName })
  if (sent.get('kind') === 'api') await patch(request, id, { identifierUris: [`api://${appId}`] })
  const api = z.guid().safeParse(sent.get('for'))
  return `${applicationPath(appId)}${api.data ? `?for=${api.data}` : ''}`
}

/** Makes the service principal of an application that has none. */
export async function createPrincipal(request: AdministratorRequest, appId: string): Promise<void> {
  if ((await principalOf(request, appId)) !== undefined) return
  await request.graph.send({ method: 'POST', path: '/servicePrincipals', body: { appId } })
}

/** A link to the form for all six steps. */
export const newApiLink = (kind: 'primary' | 'secondary') =>
  html`<a role="button" class="${kind}" href="${newApiPage.path}">New API with its client</a>`

/** One form for the six steps. */
const showNewApi: PageRow['show'] = (request, _context, attempt) =>
  page(request, {
    title: 'New API with its client',
    trail: [{ name: 'App registrations', path: '/portal/applications' }],
    attempt,
    content: html`<p>This form does all six registration steps. It creates an API with its roles, and a client with these roles and a secret. The secret is shown once.</p>
${form(
  request,
  newApiPage.path,
  html`${knownNames(attempt, 'api_name', 'client_name')}${nameField('api_name', 'Name of the API', attempt)}
${roleValues(attempt)}
${nameField('client_name', 'Name of the client', attempt)}
<button class="primary">Create the API and the client</button>`,
)}`,
  })

const makeBoth: ActionRow['run'] = async (request, sent) => {
  const apiName = await requireNewName(request, sent, 'api_name')
  const clientName = await requireNewName(request, sent, 'client_name')
  const appRoles = newRoles(sent, request.host.newGuid)
  if (appRoles.length === 0) throw actionFault('Enter at least one role value.')
  const done: string[] = []
  try {
    const api = await create(request, { displayName: apiName, appRoles })
    done.push(`the API “${apiName}” with its roles`)
    await patch(request, api.id, { identifierUris: [`api://${api.appId}`] })
    done.push('its identifier URI')
    const resourceAccess = appRoles.map(({ id }) => ({ id, type: 'Role' }))
    const requiredResourceAccess = [{ resourceAppId: api.appId, resourceAccess }]
    const client = await create(request, { displayName: clientName, requiredResourceAccess })
    done.push(`the client “${clientName}”, which requests these roles`)
    for (const { id, value } of appRoles) {
      const path = `/servicePrincipals/${api.principalId}/appRoleAssignedTo`
      const body = { principalId: client.principalId, resourceId: api.principalId, appRoleId: id }
      await request.graph.send({ method: 'POST', path, body })
      done.push(`consent for ${value}`)
    }
    return await makeSecret(request, client.appId, '')
  } catch (cause) {
    if (!(cause instanceof GraphRefusalError) || done.length === 0) throw cause
    const sentence = refusalSentence(cause, request)
    throw actionFault(`${sentence} Done: ${done.join(', ')}. Continue in App registrations.`, {
      cause,
    })
  }
}

export const newApiPage: PageRow = {
  path: '/portal/new-api',
  section: 'App registrations',
  show: showNewApi,
  actions: [{ run: makeBoth }],
}
