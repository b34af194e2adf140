import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { linksWithSessionKey } from '../security/addresses.ts'
import { pageHeaders } from '../security/security-headers.ts'
import type { Html } from './html.ts'
import { staticFiles } from './static-files.ts'

/** The pages of the navigation, in its order. */
const sections = [
  { name: 'Overview', path: '/portal' },
  { name: 'App registrations', path: '/portal/applications' },
  { name: 'Token', path: '/portal/token' },
  { name: 'Logs', path: '/portal/logs' },
  { name: 'Keys', path: '/portal/keys' },
  { name: 'Registrations file', path: '/portal/file' },
  { name: 'Lab', path: '/portal/lab' },
] as const

type Section = (typeof sections)[number]['name']

/** A page of the portal. */
export type Page = {
  readonly title: string
  /** The entry of the navigation; undefined before the sign-in. */
  readonly section?: Section
  /** Links to the pages above this one. */
  readonly trail?: readonly { readonly name: string; readonly path: string }[]
  readonly content: Html
  readonly status?: number
}

/** Makes a whole page around its content. The content is the same with and without script. */
export async function page(visit: AdministratorRequest | undefined, one: Page): Promise<Response> {
  const text = await html`<!doctype html>
<html lang="en"${visit && html` data-now="${visit.now.toISOString()}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${one.title} · Greeting portal</title>
<link rel="stylesheet" href="${staticFiles.path('pico.css')}">
<link rel="stylesheet" href="${staticFiles.path('portal.css')}">
<link rel="icon" href="${staticFiles.path('icon.svg')}">
<script type="module" src="${staticFiles.path('portal.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="/portal">Greeting <small>portal</small></a>
${
  visit &&
  html`<div class="account"><span title="Tenant">${visit.tenantName}</span> <strong title="Signed in as">${visit.administratorName}</strong>
<form method="post" action="/portal/sign-out"><input type="hidden" name="form_token" value="${visit.tokenOf('/portal/sign-out')}"><button class="quiet">Sign out</button></form></div>`
}
</header>
${
  visit &&
  html`<nav aria-label="Portal"><ul>${sections
    .filter(({ name }) => name !== 'Lab' || visit.lab)
    .map(
      ({ name, path }) =>
        html`<li><a href="${path}"${name === one.section ? html` aria-current="${one.trail ? 'true' : 'page'}"` : ''}>${name}</a></li>`,
    )}</ul></nav>`
}
<main id="content">
${one.trail && html`<nav aria-label="Breadcrumb" class="trail"><ul>${one.trail.map(({ name, path }) => html`<li><a href="${path}">${name}</a></li>`)}</ul></nav>`}
<h1>${one.title}</h1>
${one.content}
</main>
</body>
</html>
`
  const shown =
    visit === undefined ? String(text) : linksWithSessionKey(String(text), visit.session)
  return new Response(shown, { status: one.status ?? 200, headers: { ...pageHeaders } })
}
