import type { ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import type { Attempt } from '../layout/form.ts'
import type { Form, FormBody } from '../security/portal-form.ts'

/** Shows a page: for a GET request, and again after a refused form. */
type Show = (
  visit: AdministratorRequest,
  context: Context<ServerEnv>,
  attempt?: Attempt,
) => Promise<Response>

/** A page of the portal. */
export type PageRow = { readonly path: string; readonly show: Show }

/** A form of the portal. */
export type ActionRow = {
  readonly path: string
  /** Makes the change. Returns the path of the page to show next, or a page. */
  readonly run: (
    visit: AdministratorRequest,
    form: Form,
    context: Context<ServerEnv>,
  ) => Promise<string | Response>
  /** Shows the page with the form again when the change was refused. */
  readonly show: Show
  /** True when it changes nothing that lasts. Every other form needs a confirmed session. */
  readonly changesNothing?: true
  /** The encoding and the limit of its body. Such a body is read only with a session. */
  readonly body?: FormBody
}
