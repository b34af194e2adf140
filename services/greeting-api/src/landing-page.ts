import { page } from './page.ts'

/** What `GET /` tells a program. */
export const landing = {
  name: 'Greeting API',
  description:
    'Two greetings for programs, each behind its own application role. Every path under /api/v1/ takes a bearer access token.',
  greetings: ['/api/v1/hi', '/api/v1/hello?name={name}'],
  documentation: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  readiness: '/readyz',
}

/** What `GET /` shows a person. */
export const landingPage = page(
  landing.name,
  `<p>Two greetings for programs, each behind its own application role.</p>
<ul>
<li><code>GET /api/v1/hi</code> answers <code>Hi</code> to callers with the role <code>CallHiApiRole</code>.</li>
<li><code>GET /api/v1/hello?name=Ada</code> answers <code>Hello, Ada</code> to callers with the role <code>CallHelloApiRole</code>.</li>
</ul>
<p>Callers are programs: they obtain an access token by the OAuth 2.0 client credentials flow and send it as a bearer token.</p>
<ul>
<li><a href="/docs">How to call it</a></li>
<li><a href="/openapi.json">The description for programs</a> (OpenAPI 3.1)</li>
<li><a href="/readyz">Whether it is ready</a></li>
</ul>`,
)
