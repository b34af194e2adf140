import { html } from 'hono/html'
import type { SignInFault } from '../host/portal-host.ts'
import { field, hiddenFields } from '../layout/form.ts'
import type { Html } from '../layout/html.ts'
import { page } from '../layout/page.ts'
import type { NoSession } from '../security/portal-sessions.ts'

/** The sentence for each fault. An unknown client and a wrong secret have the same. */
export const signInSentences: Readonly<Record<SignInFault, string>> = {
  credentials_wrong: 'The client ID or the client secret is wrong.',
  credential_ended: 'This client secret is not valid now. Sign in with another one.',
  no_role:
    'This application is disabled, or has no role of Microsoft Graph or of the management API. Only an administrator application can sign in.',
  throttled: 'There were too many wrong attempts. Wait a minute, then try again.',
}

/** A form that arrived after the end of its session. It is sent again after the sign-in. */
export type Unsent = { readonly action: string; readonly fields: Readonly<Record<string, string>> }

export type SignInPage = {
  readonly returnTo: string
  readonly fault?: string | undefined
  readonly clientId?: string | undefined
  readonly unsent?: Unsent | undefined
  readonly status?: number
  /** Why the request had no session. Default: it is a new sign-in. */
  readonly absence?: NoSession
}

const absences: Readonly<Record<NoSession, string>> = {
  absent: '',
  ended: 'Your session has ended. Sign in again.',
  at_another_address:
    'This browser is signed in at another address. Each page has the key of its session in its address, which other servers of this host do not see. Continue there, or sign in here too.',
}

/** Asks for the client ID and the secret of an administrator application. */
export function signInPage({
  returnTo,
  fault,
  clientId,
  unsent,
  status,
  absence = 'absent',
}: SignInPage): Promise<Response> {
  const hints: Html = html`<p>Run <code>greeting portal</code> in the folder of the data to open this page signed in, or enter an administrator application. <code>greeting start</code> writes the first one to <code>administrator.env</code>.</p>`
  return page(undefined, {
    title: 'Sign in',
    status: status ?? 401,
    content: html`${absences[absence] && html`<p role="status" class="note">${absences[absence]}${unsent && ' Your entries are kept.'}</p>`}
${fault && html`<p role="alert" class="problem">${fault}</p>`}
<form method="post" action="/portal/sign-in">
${hiddenFields({ return_to: returnTo, ...(unsent && { unsent: JSON.stringify(unsent) }) })}
${field({ name: 'client_id', label: 'Client ID', value: clientId ?? '', required: true, maxLength: 256, autocomplete: 'username' })}
${field({ name: 'client_secret', label: 'Client secret', type: 'password', required: true, maxLength: 1024, autocomplete: 'current-password' })}
<button>Sign in</button>
</form>
${hints}`,
  })
}
