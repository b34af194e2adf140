import { lineOf, syntaxErrorLine } from '@greeting/registrations'
import { GraphRefusalError } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import { type AdministratorRequest, actionFault } from '../graph/administrator-request.ts'
import { readRegistered } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { tabPage } from '../layout/application-tab.ts'
import { form, hiddenFields, lines } from '../layout/form.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'

const body = { maxBodyBytes: 1024 * 1024 }

/** The members of a manifest that a save may change. */
const writable = [
  'displayName',
  'signInAudience',
  'identifierUris',
  'isFallbackPublicClient',
  'passwordAuthenticationAllowed',
  'api',
  'appRoles',
  'requiredResourceAccess',
  'optionalClaims',
] as const
const shown = ['id', 'appId', ...writable] as const

async function readManifest({ graph }: AdministratorRequest, id: string): Promise<string> {
  const { body } = await graph.send({ method: 'GET', path: `/applications/${id}` })
  const all = body as Readonly<Record<string, unknown>>
  return JSON.stringify(Object.fromEntries(shown.map((name) => [name, all[name]])), undefined, 2)
}

const show = tabPage('Manifest', async (request, { application }, attempt) => {
  const text = attempt?.form.get('manifest') ?? (await readManifest(request, application.id))
  const path = applicationPath(application.appId, 'Manifest')
  return html`<p>The application in the format of Microsoft Graph. <code>id</code> and <code>appId</code> cannot be changed.</p>
${form(
  request,
  path,
  html`${hiddenFields({ etag: attempt?.form.get('etag') ?? application['@odata.etag'] ?? '' })}
${lines({ name: 'manifest', label: 'Manifest', value: text, rows: Math.min(40, text.split('\n').length + 1), required: true })}
<button>Save the manifest</button>`,
)}`
})

const save: ActionRow['run'] = async (request, sent, { req }) => {
  const appId = req.param('appId') ?? ''
  const { application } = await readRegistered(request, appId)
  const text = sent.get('manifest') ?? ''
  const manifest = parseManifest(text)
  for (const name of ['id', 'appId'] as const) {
    if (manifest[name] !== undefined && manifest[name] !== application[name])
      throw actionFault(`Line ${lineOf(text, name) ?? 1}: ${name} cannot be changed.`)
  }
  const { id: _id, appId: _appId, ...changed } = manifest
  try {
    await request.graph.send({
      method: 'PATCH',
      path: `/applications/${application.id}`,
      body: changed,
      ifMatch: sent.get('etag'),
    })
  } catch (cause) {
    if (!(cause instanceof GraphRefusalError) || cause.status !== 400) throw cause
    const lines = cause.targets.flatMap((target) => lineOf(text, target) ?? [])
    const places = [...new Set(lines)].map((line) => `Line ${line}: `).slice(0, 1)
    throw actionFault(`${places.join('')}${cause.reason}`, { cause })
  }
  return applicationPath(appId, 'Manifest')
}

function parseManifest(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const line = syntaxErrorLine(text) ?? 1
    throw actionFault(`Line ${line}: the manifest is not JSON: ${reason}.`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw actionFault('Line 1: the manifest must be an object.')
  return value as Readonly<Record<string, unknown>>
}

export const manifestPage: PageRow = {
  path: applicationPath(':appId', 'Manifest'),
  section: 'App registrations',
  show,
  actions: [{ run: save, body }],
}
