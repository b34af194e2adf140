import type { ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import type { Form, FormBody } from '../security/portal-form.ts'
import type { Attempt } from './form.ts'

/** A page of the portal with its forms. Routes, navigation and the list of forms read it. */
export type PageRow = {
  readonly path: string
  /** The entry of the navigation that contains the page. The first page of an entry is its target. */
  readonly section: string
  /** Shows the page: for a GET request, and again after a refused form. */
  readonly show: (
    request: AdministratorRequest,
    context: Context<ServerEnv>,
    attempt?: Attempt,
  ) => Promise<Response>
  readonly actions?: readonly ActionRow[]
}

export type ActionRow = {
  /** What its path has after the path of its page. Default: nothing. */
  readonly suffix?: string
  /** Makes the change. Returns the path of the page to show next, or a page. */
  readonly run: (
    request: AdministratorRequest,
    form: Form,
    context: Context<ServerEnv>,
  ) => Promise<string | Response>
  /** True when it changes nothing that lasts. Every other form needs a confirmed session. */
  readonly changesNothing?: true
  /** The encoding and the limit of its body. Such a body is read only with a session. */
  readonly body?: FormBody
}
