import { html } from 'hono/html'
import { page } from '../layout/page.ts'

/** The page at the root of the identity provider, for a person. A program gets JSON. */
export const landingPage = (authUrl: string): Promise<Response> =>
  page(undefined, {
    title: 'Greeting identity provider',
    content: html`<p>This server issues access tokens to programs, in the dialect of Microsoft Entra ID.</p>
<p><a href="/portal" role="button">Open the portal</a></p>
<ul>
<li>Administrators: <code>greeting portal</code> opens the portal signed in.</li>
<li>Clients: the settings are at <a href="/common/discovery/instance?api-version=1.1&amp;authorization_endpoint=${encodeURIComponent(`${authUrl}/common/oauth2/v2.0/authorize`)}">instance discovery</a>, and in the discovery document of each tenant: <code>${authUrl}/{tenant}/v2.0/.well-known/openid-configuration</code>.</li>
<li>Operators: <a href="/readyz">readiness</a>, <a href="/metrics">metrics</a>.</li>
</ul>`,
  })
