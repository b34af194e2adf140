import { GraphRefusalError } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { field } from './form.ts'
import { page } from './page.ts'
import { type Html, snippet } from './parts.ts'

/** What an administrator can do after a refusal, by its HTTP status. */
const remedies: Readonly<Record<number, string>> = {
  401: 'The administrator application was disabled or deleted. Sign in as another one.',
  403: 'The administrator application lacks a role for this. Another administrator can grant it. Only the first tenant has the roles for logs, keys and tenants.',
  404: 'It may have been deleted. Look for it under App registrations.',
  412: 'Another administrator has changed it in the meantime. Open the page again to see the current state.',
  503: 'Try again in a moment.',
}

/**
 * The sentence for a refusal of the management API.
 *
 * @param request the request in which changes may have been made before the refusal
 */
export function refusalSentence(
  { status, reason, graphCode }: GraphRefusalError,
  { graph }: Pick<AdministratorRequest, 'graph'>,
): string {
  const isAway = status === 503
  const parts = [
    isAway ? 'The store is unavailable.' : status === 404 ? 'There is no such object.' : reason,
    status === 400 && `(${graphCode})`,
    graph.changes > 0 &&
      'Part of this was already done. Open the page again to see the current state.',
    isAway && graph.isUncertain && 'The last change may or may not have been stored.',
    isAway && !graph.isUncertain && graph.changes === 0 && 'Nothing was changed.',
    remedies[status],
  ]
  return parts.filter(Boolean).join(' ')
}

/** A page about a refusal of the management API. */
export const refusalPage = (
  request: AdministratorRequest,
  error: GraphRefusalError,
): Promise<Response> =>
  page(request, {
    title: titles[error.status] ?? 'This cannot be shown',
    status: error.status,
    content: html`<p role="alert" class="problem">${refusalSentence(error, request)}</p><p><a href="/portal">Overview</a></p>`,
  })

const titles: Readonly<Record<number, string>> = {
  403: 'A role is missing',
  404: 'Not found',
  503: 'The store is unavailable',
}

/** A page about a request that the portal itself refuses. */
export const plainPage = (
  title: string,
  sentence: Html,
  status: number,
  request?: AdministratorRequest,
): Promise<Response> =>
  page(request, {
    title,
    status,
    content: html`<p role="alert" class="problem">${sentence}</p><p><a role="button" class="primary" href="/portal">Open the portal</a></p>`,
  })

/** The page behind `error_uri`, about an AADSTS code. */
export const errorPath = (code: number): string => `/error?code=${code}`

const codeForm = /^\d{1,8}$/

/**
 * The page behind `error_uri`. It is public, so it reveals nothing of the directory: it has only
 * the table of refusals, and a form that leads to the log.
 */
export function errorPage(
  { refusals }: AdministratorRequest['host'],
  code = '',
  correlationId = '',
): Promise<Response> {
  const found = [...refusals].filter(([, row]) => codeForm.test(code) && row.code === Number(code))
  const [first] = found
  if (first === undefined) return plainPage('Unknown code', 'No refusal has this code.', 404)
  const id = z.guid().safeParse(correlationId).data ?? ''
  const errors = [...new Set(found.map(([, { error }]) => error))].join(', ')
  return page(undefined, {
    title: `AADSTS${code}: ${errors}`,
    isPublic: true,
    content: html`<p>The token endpoint refused the request${found.length > 1 && ` for one of ${found.length} reasons`}.</p>
<dl>${found.map(([reason, { when, remedy }]) => html`<div><dt>If ${when}:</dt><dd>${remedy} <small><code>${reason}</code></small></dd></div>`)}</dl>
<p>In Entra ID, the code has the same causes: <a href="https://login.microsoftonline.com${errorPath(first[1].code)}">Microsoft’s page for AADSTS${code}</a>.</p>
<h2>Find the request</h2>
<form method="get" action="/portal/logs">${field({ name: 'correlationId', label: 'Correlation ID', value: id, help: 'It is in the response. The portal asks you to sign in, then shows the client, the reason and what to do.', required: true, maxLength: 36 })}
<button class="primary">Find it in the log</button></form>
<p>Or run this in the folder that contains <code>.greeting</code>:</p>
${snippet(`npx --no-install greeting audit --correlation-id ${id || '<correlation ID>'}`, 'Command')}`,
  })
}

/** A part of a page that the administrator may lack the role for. Its refusal takes its place. */
export const optional = <Part>(
  request: AdministratorRequest,
  part: Promise<Part>,
  instead: (sentence: string) => Part,
): Promise<Part> =>
  part.catch((cause: unknown) => {
    if (!(cause instanceof GraphRefusalError) || cause.status === 401) throw cause
    return instead(refusalSentence(cause, request))
  })

const managementRemedies: Readonly<Record<string, string>> = {
  role_missing: 'Grant the administrator application the role that the operation requires.',
  role_not_owned: 'Only a holder of this management role may assign it.',
  quota_exceeded:
    'Purge deleted applications, because they still count, or ask the operator to raise MAX_TENANT_OBJECTS.',
  object_changed: 'Read the object again, then repeat the change.',
}

/** What to do after a refusal, by its reason; empty for a reason without advice. */
export const remedyOf = (reason: string, { host }: AdministratorRequest): string =>
  host.refusals.get(reason)?.remedy ?? managementRemedies[reason] ?? ''
