import { html } from 'hono/html'
import { page } from '../layout/page.ts'

/**
 * The page at the root of the identity provider, for a person. A program gets JSON. Metrics have a
 * listener of their own, so the page links to them only when it is on.
 */
export const landingPage = (authUrl: string, metricsUrl?: string): Promise<Response> =>
  page(undefined, {
    title: 'Greeting identity provider',
    content: html`<p>This server issues access tokens to programs, in the dialect of Microsoft Entra ID.</p>
<p><a href="/portal" role="button">Open the portal</a></p>
<ul>
<li>Administrators: <code>greeting portal</code> opens the portal signed in.</li>
<li>Clients: the settings are in the <a href="/common/v2.0/.well-known/openid-configuration">discovery document</a>, and in that of each tenant: <code>${authUrl}/{tenant}/v2.0/.well-known/openid-configuration</code>.</li>
<li>Operators: <a href="/readyz">readiness</a>${metricsUrl && html`, <a href="${metricsUrl}/metrics">metrics</a>`}.</li>
</ul>`,
  })
