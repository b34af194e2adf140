import { html } from 'hono/html'
import { readRegistered } from '../graph/application-view.ts'
import { tabPage } from '../layout/application-page.ts'
import { applicationPath } from '../layout/application-tabs.ts'
import { choice, form, hiddenFields } from '../layout/form.ts'
import { copyable, facts } from '../layout/parts.ts'
import type { ActionRow, PageRow } from './page-row.ts'

const base = '/portal/applications/:appId/expose'

const show = tabPage('Expose an API', (visit, { application }, attempt) => {
  const { appId, identifierUris, api } = application
  const path = applicationPath(appId, 'Expose an API')
  const [uri] = identifierUris
  return html`${
    uri === undefined
      ? html`<p class="empty">This application has no identifier URI, so no client can name it as an API. Enter one, for example <code>api://${appId}</code>.</p>`
      : facts([
          ['Scope for clients', copyable(`${uri}/.default`)],
          ['Audience of v1.0 tokens', copyable(uri)],
          ['Audience of v2.0 tokens', copyable(appId)],
        ])
  }
${form(
  visit,
  path,
  html`${hiddenFields({ etag: application['@odata.etag'] ?? '' })}
<label>Identifier URIs, one in each line
<textarea name="identifier_uris" rows="4" spellcheck="false">${attempt?.form.get('identifier_uris') ?? identifierUris.join('\n')}</textarea></label>
${choice(
  {
    name: 'token_version',
    label: 'Version of the access tokens',
    help: 'The API decides the version, not the client.',
    value: String(api?.requestedAccessTokenVersion ?? ''),
    options: [
      { value: '', label: 'Not set: v1.0' },
      { value: '1', label: 'v1.0' },
      { value: '2', label: 'v2.0' },
    ],
  },
  attempt,
)}
<button>Save</button>`,
)}`
})

export const exposePages: readonly PageRow[] = [{ path: base, show }]

export const exposeActions: readonly ActionRow[] = [
  {
    path: base,
    show,
    run: async (visit, sent, { req }) => {
      const appId = req.param('appId') ?? ''
      const { application } = await readRegistered(visit, appId)
      const version = sent.get('token_version') ?? ''
      const uris = (sent.get('identifier_uris') ?? '').split('\n').map((line) => line.trim())
      await visit.graph.send({
        method: 'PATCH',
        path: `/applications/${application.id}`,
        ifMatch: sent.get('etag'),
        body: {
          identifierUris: uris.filter((line) => line !== ''),
          api: { requestedAccessTokenVersion: version === '' ? null : Number(version) },
        },
      })
      return applicationPath(appId, 'Expose an API')
    },
  },
]
