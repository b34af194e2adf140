import { html } from 'hono/html'
import { page } from './page.ts'

/** The answer of `GET /` to a program. */
export const landing = {
  name: 'Greeting API',
  description:
    'Two greetings for programs, each with its own app role. Every path under /api/v1/ requires a bearer access token.',
  greetings: ['/api/v1/hi', '/api/v1/hello?name={name}'],
  documentation: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  readiness: '/readyz',
}

const content = html`<p>Two greetings for programs, each with its own app role.</p>
<ul>
<li><code>GET /api/v1/hi</code> answers <code>Hi</code> to clients with the role <code>CallHiApiRole</code>.</li>
<li><code>GET /api/v1/hello?name=Ada</code> answers <code>Hello, Ada</code> to clients with the role <code>CallHelloApiRole</code>.</li>
</ul>
<p>A client obtains an access token by the OAuth 2.0 client credentials flow and sends it as a bearer token.</p>
<ul>
<li><a href="/docs">How to call the API</a></li>
<li><a href="/openapi.json">The API description</a> (OpenAPI 3.1)</li>
<li><a href="/readyz">The readiness of the service</a></li>
</ul>`

/** The answer of `GET /` to a browser. */
export const landingPage = page(landing.name, content)
