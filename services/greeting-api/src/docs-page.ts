import type { ApiDescription, Place } from './api-description.ts'
import { escapeHtml, page } from './page.ts'

type Parameter = { name: string; required: boolean; description: string }
type Operation = {
  summary: string
  description?: string
  parameters?: readonly Parameter[]
  responses: Record<string, { $ref?: string; description?: string }>
}

/** Shows the description as a page, with a request to copy for each greeting. */
export function docsPage(description: ApiDescription, place: Place): string {
  const sections = description.tags.map((tag) => {
    const operations = Object.entries(description.paths)
      .filter(([, { get }]) => get.tags.includes(tag.name))
      .map(([path, { get }]) => operationSection(path, get as Operation, description))
    return `<h2>${escapeHtml(tag.name)}</h2>\n<p>${prose(tag.description)}</p>\n${operations.join('\n')}`
  })
  return page(
    description.info.title,
    `<p>${prose(description.info.summary)}</p>
<p>${prose(description.info.description)} The whole description for programs is at <a href="/openapi.json">/openapi.json</a>.</p>
<h2>Getting a token</h2>
${sample(`printf %s "$CLIENT_SECRET" | curl -sS ${place.tokenUrl} \\
  -d grant_type=client_credentials \\
  -d scope=${place.scope} \\
  -d client_id="$CLIENT_ID" \\
  --data-urlencode client_secret@-`)}
<h2>Calling the API</h2>
${sample(`printf 'authorization: Bearer %s' "$ACCESS_TOKEN" | curl -sS -H @- ${place.baseUrl}/api/v1/hi
printf 'authorization: Bearer %s' "$ACCESS_TOKEN" | curl -sS -H @- "${place.baseUrl}/api/v1/hello?name=Ada"`)}
${sections.join('\n')}`,
  )
}

function operationSection(path: string, operation: Operation, description: ApiDescription): string {
  const parameters = (operation.parameters ?? []).map(
    (parameter) =>
      `<li><code>${escapeHtml(parameter.name)}</code> (query, ${parameter.required ? 'required' : 'optional'}): ${prose(parameter.description)}</li>`,
  )
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const name = response.$ref?.split('/').at(-1) as
      | keyof ApiDescription['components']['responses']
      | undefined
    const text =
      name === undefined
        ? (response.description ?? '')
        : description.components.responses[name].description
    return `<tr><th scope="row">${status}</th><td>${prose(text)}</td></tr>`
  })
  return `<h3><code>GET ${escapeHtml(path)}</code></h3>
<p>${prose(operation.description ?? operation.summary)}</p>
${parameters.length > 0 ? `<ul>${parameters.join('')}</ul>` : ''}
<div class="wide"><table>
<thead><tr><th scope="col">Status</th><th scope="col">When</th></tr></thead>
<tbody>${responses.join('')}</tbody>
</table></div>`
}

function sample(text: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`
}

/** Plain text in which backquotes mark code. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}
