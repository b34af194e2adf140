import { html } from 'hono/html'
import { page } from './docs/page.ts'
import { greetings, pathOf } from './greetings.ts'

const purpose = 'Greetings for programs, each with its own app role.'

/** The answer of `GET /` to a program. */
export const landing = {
  name: 'Greeting API',
  description: `${purpose} Every path under /api/v1/ requires a bearer access token.`,
  greetings: greetings.map((one) => pathOf(one, (parameter) => `{${parameter}}`)),
  documentation: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  readiness: '/readyz',
}

const content = html`<p>${purpose}</p>
<ul>
${greetings.map(
  (one) =>
    html`<li><code>GET ${pathOf(one, (_, example) => example)}</code> returns <code>${one.example}</code> to clients with the role <code>${one.role}</code>.</li>
`,
)}</ul>
<p>A client obtains an access token with the OAuth 2.0 client credentials flow and sends it as a bearer token.</p>
<ul>
<li><a href="/docs">How to call the API</a></li>
<li><a href="/openapi.json">The API description</a> (OpenAPI 3.1)</li>
<li><a href="/readyz">The readiness of the service</a></li>
</ul>`

/** The answer of `GET /` to a browser. */
export const landingPage = page(landing.name, content)
