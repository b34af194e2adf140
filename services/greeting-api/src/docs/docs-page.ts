// Folder: The pages of the API: their frame, and the one that tries both greetings in a browser.

import { html } from 'hono/html'
import type { ApiAddresses, ApiDescription } from '../api-description.ts'
import { docsFiles } from './docs-files.ts'
import { page, pageHeaders, pageSources } from './page.ts'

type Parameter = { name: string; required: boolean; description: string }
type Operation = {
  summary: string
  description?: string
  parameters?: readonly Parameter[]
  responses: Record<string, { $ref?: string; description?: string }>
}

/** The headers of `/docs`: it runs only files of this server, and sends requests only to it. */
export const docsHeaders = {
  ...pageHeaders,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    // The viewer draws its icons from `data:` URLs.
    `${pageSources} data:`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

/**
 * Makes the page of the API description, with commands to copy. Script replaces the list of operations
 * by a viewer, in which people can try them.
 */
export function docsPage(description: ApiDescription, addresses: ApiAddresses): string {
  const { title, summary, description: text } = description.info
  const { tokenUrl, scope, baseUrl } = addresses
  const sections = description.tags.map((tag) => {
    const operations = Object.entries(description.paths)
      .filter(([, { get }]) => get.tags.includes(tag.name))
      .map(([path, { get }]) => operationSection(path, get as Operation, description))
    return html`<h2>${tag.name}</h2>
<p>${prose(tag.description)}</p>
${operations}
`
  })
  const content = html`<p>${prose(summary)}</p>
<p>${prose(text)} The whole description for programs is at <a href="openapi.json">/openapi.json</a>.</p>
<h2>Getting a token</h2>
${sample(`printf %s "$CLIENT_SECRET" |
  curl -sS ${tokenUrl} \\
  -d grant_type=client_credentials \\
  -d scope=${scope} \\
  -d client_id="$CLIENT_ID" \\
  --data-urlencode client_secret@-`)}
<h2>Calling the API</h2>
${sample(`printf 'authorization: Bearer %s' "$ACCESS_TOKEN" | curl -sS -H @- ${baseUrl}/api/v1/hi
printf 'authorization: Bearer %s' "$ACCESS_TOKEN" | curl -sS -H @- "${baseUrl}/api/v1/hello?name=Ada"`)}
<div id="viewer"></div>
<div id="description">${sections}</div>`
  const head = html`<link rel="stylesheet" href="${docsFiles.path('swagger-ui.css')}">
<link rel="stylesheet" href="${docsFiles.path('docs.css')}">
<script defer src="${docsFiles.path('swagger-ui-bundle.js')}"></script>
<script type="module" src="${docsFiles.path('docs.js')}"></script>`
  return page(title, content, head)
}

function operationSection(path: string, operation: Operation, description: ApiDescription) {
  const parameters = (operation.parameters ?? []).map(
    ({ name, required, description: text }) =>
      html`<li><code>${name}</code> (query, ${required ? 'required' : 'optional'}): ${prose(text)}</li>`,
  )
  const responses = Object.entries(operation.responses).map(
    ([status, response]) =>
      html`<tr><th scope="row">${status}</th><td>${prose(textOf(response, description))}</td></tr>`,
  )
  return html`<h3><code>GET ${path}</code></h3>
<p>${prose(operation.description ?? operation.summary)}</p>
${parameters.length > 0 ? html`<ul>${parameters}</ul>` : ''}
<div class="wide"><table>
<thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead>
<tbody>${responses}</tbody>
</table></div>
`
}

function textOf(response: Operation['responses'][string], { components }: ApiDescription): string {
  const name = response.$ref?.split('/').at(-1) as keyof typeof components.responses | undefined
  return name === undefined ? (response.description ?? '') : components.responses[name].description
}

const sample = (text: string) => html`<pre tabindex="0"><code>${text}</code></pre>`

/** Converts plain text in which backquotes mark code. */
function prose(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
}
