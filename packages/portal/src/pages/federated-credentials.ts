import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import type { Registered } from '../graph/applications.ts'
import { applicationPath } from '../layout/application-page.ts'
import { changeAction } from '../layout/application-tab.ts'
import { type Attempt, buttonForm, field, form } from '../layout/form.ts'
import type { ActionRow } from '../layout/page-row.ts'
import { type Html, table } from '../layout/parts.ts'

/** The audience that Entra ID proposes. */
const usualAudience = 'api://AzureADTokenExchange'

const federatedCredential = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  issuer: z.string(),
  subject: z.string().nullish(),
  claimsMatchingExpression: z.object({ value: z.string() }).nullish(),
  audiences: z.array(z.string()),
})

const pathOf = (id: string) => `/applications/${id}/federatedIdentityCredentials`

/** The other issuers that a client may use instead of a secret, and a form for a new one. */
export async function federatedCredentials(
  request: AdministratorRequest,
  { application }: Registered,
  attempt?: Attempt,
): Promise<Html> {
  const path = applicationPath(application.appId, 'Certificates & secrets')
  const found = await request.graph.list(pathOf(application.id), federatedCredential)
  return html`<h2>Federated credentials</h2>
<p>A token from another issuer authenticates the client, so the client needs no secret. GitHub Actions and Kubernetes, for example, issue such tokens.</p>
${table(
  'Federated credentials',
  ['Name', 'Issuer', 'Subject or expression', 'Audience', 'Change'],
  found.map((one) => [
    html`${one.name}<br><small>${one.description ?? ''}</small>`,
    html`<code>${one.issuer}</code>`,
    html`<code>${one.subject ?? one.claimsMatchingExpression?.value ?? ''}</code>`,
    html`<code>${one.audiences.join(', ')}</code>`,
    buttonForm(request, `${path}/remove-federated`, ['Remove', one.name], { id: one.id }, 'danger'),
  ]),
  'This application trusts no other issuer.',
)}
<details${attempt?.form.has('issuer') ? html` open` : ''}><summary>Add a federated credential</summary>
${form(
  request,
  `${path}/federated`,
  html`${field({ name: 'name', label: 'Name', required: true, maxLength: 120, help: '3 to 120 letters, digits and -._~, starting with a letter or digit. The name cannot be changed.' }, attempt)}
${field({ name: 'issuer', label: 'Issuer', required: true, maxLength: 600, help: 'As in the iss claim, for example https://token.actions.githubusercontent.com.' }, attempt)}
${field({ name: 'subject', label: 'Subject', maxLength: 600, help: 'As in the sub claim. Leave it empty to use the expression below.' }, attempt)}
${field({ name: 'expression', label: 'Claims matching expression', maxLength: 600, help: "For example claims['sub'] matches 'repo:contoso/*'." }, attempt)}
${field({ name: 'audience', label: 'Audience', value: usualAudience, required: true, maxLength: 600 }, attempt)}
${field({ name: 'federated_description', label: 'Description', maxLength: 600 }, attempt)}
<button>Add the credential</button>`,
)}</details>`
}

/** The forms of this part of the page of credentials. */
export const federatedActions: readonly ActionRow[] = [
  changeAction('Certificates & secrets', '/federated', ({ application }, sent) => {
    const of = (name: string) => (sent.get(name) ?? '').trim()
    return {
      method: 'POST',
      path: pathOf(application.id),
      body: {
        name: of('name'),
        issuer: of('issuer'),
        audiences: [of('audience')],
        ...(of('subject') && { subject: of('subject') }),
        ...(of('expression') && {
          claimsMatchingExpression: { value: of('expression'), languageVersion: 1 },
        }),
        ...(of('federated_description') && { description: of('federated_description') }),
      },
    }
  }),
  changeAction('Certificates & secrets', '/remove-federated', ({ application }, sent) => ({
    method: 'DELETE',
    path: `${pathOf(application.id)}/${encodeURIComponent(sent.get('id') ?? '')}`,
  })),
]
