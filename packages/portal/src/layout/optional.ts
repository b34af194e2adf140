import { GraphRefusalError } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { refusalSentence } from './error-pages.ts'
import type { Html } from './html.ts'

/** A part of a page that the administrator may lack the role for. Its refusal takes its place. */
export async function optional(visit: AdministratorRequest, part: Promise<Html>): Promise<Html> {
  try {
    return await part
  } catch (cause) {
    if (!(cause instanceof GraphRefusalError) || cause.status === 401) throw cause
    return html`<p class="problem">${refusalSentence(cause, visit)}</p>`
  }
}
