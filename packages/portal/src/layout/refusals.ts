import { GraphRefusalError } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { page } from './page.ts'

/** What an administrator can do after a refusal, by its HTTP status. */
const remedies: Readonly<Record<number, string>> = {
  401: 'The administrator application was disabled or deleted. Sign in as another one.',
  403: 'The administrator application lacks a role for this. Another administrator can grant it.',
  404: 'It may have been deleted. Look for it under App registrations.',
  412: 'Another administrator changed it in between. Open the page again to see the current state.',
  503: 'Try again in a moment.',
}

/**
 * The sentence for a refusal of the management API.
 *
 * @param request the request in which changes may have been made before the refusal
 */
export function refusalSentence(
  { status, reason }: GraphRefusalError,
  { graph }: Pick<AdministratorRequest, 'graph'>,
): string {
  const isAway = status === 503
  const parts = [
    isAway ? 'The store does not answer.' : reason,
    graph.changes > 0 && 'A part was done before. Open the page again to see the current state.',
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
  503: 'The store does not answer',
}

/** A page about a request that the portal itself refuses. */
export const plainPage = (
  title: string,
  sentence: string,
  status: number,
  request?: AdministratorRequest,
): Promise<Response> =>
  page(request, {
    title,
    status,
    content: html`<p role="alert" class="problem">${sentence}</p><p><a href="/portal">Portal</a></p>`,
  })

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
  object_changed: 'Read the object again, then repeat the change.',
}

/** What to do after a refusal, by its reason; empty for a reason without advice. */
export const remedyOf = (reason: string, { host }: AdministratorRequest): string =>
  host.remedyOf(reason) ?? managementRemedies[reason] ?? ''
