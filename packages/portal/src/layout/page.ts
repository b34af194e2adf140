// Folder: The frame of a page, and its parts.

import { lookFiles, StaticFiles } from '@greeting/http-service'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { linksWithSessionKey } from '../security/addresses.ts'
import { type Attempt, buttonForm, problem } from './form.ts'
import { type Html, linkList } from './parts.ts'

const own = (name: string) => new URL(`../static/${name}`, import.meta.url)

/** The files that the pages of the portal load. */
export const staticFiles = new StaticFiles('/portal/static', {
  'pico.css': { url: own('pico.css'), type: lookFiles['look.css'].type },
  'portal.css': { url: own('portal.css'), type: lookFiles['look.css'].type },
  'portal.js': { url: own('portal.js'), type: 'text/javascript; charset=utf-8' },
  ...lookFiles,
})

/** Loads and runs only files of this server, sends forms only to it, and is shown in no frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The headers of every page of the portal. With the referrer policy `no-referrer`, browsers would
 * send `Origin: null` with forms.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

type Page = {
  readonly title: string
  /** True for a page of the server outside the portal. */
  readonly isPublic?: boolean
  /** Links to the pages above this one. */
  readonly trail?: readonly { readonly name: string; readonly path: string }[]
  /** Buttons at the right of the title. */
  readonly action?: Html
  readonly content: Html
  /** Default: the status of the attempt, else 200. */
  readonly status?: number
  /** A form that was refused: its reason stands above the content. */
  readonly attempt?: Attempt | undefined
  readonly notDone?: string | undefined
}

/** Makes a whole page around its content. The content is the same with and without script. */
export async function page(
  request: AdministratorRequest | undefined,
  one: Page,
): Promise<Response> {
  const text = await html`<!doctype html>
<html lang="en"${request && html` data-now="${request.now.toISOString()}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${one.title} · Greeting${!one.isPublic && ' portal'}</title>
<link rel="stylesheet" href="${staticFiles.path('pico.css')}">
<link rel="stylesheet" href="${staticFiles.path('look.css')}">
<link rel="stylesheet" href="${staticFiles.path('portal.css')}">
<link rel="icon" href="${staticFiles.path('mark.svg')}">
<script type="module" src="${staticFiles.path('portal.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${one.isPublic ? '/' : '/portal'}"><img src="${staticFiles.path('mark.svg')}" alt="" width="24" height="24">Greeting${!one.isPublic && html` <small>portal</small>`}</a>
${
  request &&
  html`<div class="account"><span title="Tenant">${request.tenantName}</span> <strong title="Signed in as">${request.administratorName}</strong>
${buttonForm(request, '/portal/sign-out', 'Sign out')}</div>`
}
</header>
${request && linkList('Portal', '', request.navigation, request.section, one.trail ? 'true' : 'page')}
<main id="content">
${one.trail && linkList('Breadcrumb', 'trail', one.trail)}
<div class="title"><h1><bdi>${one.title}</bdi></h1>${one.action}</div>
${problem(one.attempt, one.notDone)}
${one.content}
</main>
</body>
</html>
`
  const shown =
    request === undefined ? String(text) : linksWithSessionKey(String(text), request.session)
  return new Response(shown, {
    status: one.status ?? one.attempt?.status ?? 200,
    headers: { ...pageHeaders },
  })
}
