import type { ServerEnv } from '@greeting/http-service'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import type { Administrator, PortalHost } from '../host/portal-host.ts'
import { field, hiddenFields } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import { facts } from '../layout/parts.ts'
import { readLinkCode, spendLinkCode } from '../security/one-time-link.ts'
import type { Form, FormBody } from '../security/portal-form.ts'
import { confirmationSeconds } from '../security/portal-session.ts'
import type { SealedValues } from '../security/sealed-values.ts'
import { signInSentences } from './sign-in-page.ts'

/** A confirmation that was refused. */
export type ConfirmationFault = { readonly sentence: string; readonly status: number }

const maxShownLength = 120
const maxShownFields = 12
const linkFault =
  'The link has ended, was used, or is of another administrator. Run greeting portal --no-open again.'

/**
 * Reads the proof in a form that changes something: the secret of the administrator, or a new link.
 *
 * @returns the administrator; the fault of the proof; undefined without one
 * @throws {StorageUnavailableError} storage_unavailable when the use of a link cannot be recorded
 */
export async function readConfirmation(
  host: PortalHost,
  sealed: SealedValues,
  { session, now }: AdministratorRequest,
  sent: Form,
  context: Context<ServerEnv>,
): Promise<Administrator | ConfirmationFault | undefined> {
  const link = (sent.get('confirm_link') ?? '').trim()
  if (link !== '') {
    const code = URL.parse(link)?.searchParams.get('code') ?? link
    const named = readLinkCode(sealed, code, now)
    const isOwn =
      named?.applicationId === session.applicationId && named.tenantId === session.tenantId
    const administrator = isOwn ? await spendLinkCode(sealed, code, now, host.usedUp) : undefined
    return administrator ?? { sentence: linkFault, status: 401 }
  }
  const clientSecret = (sent.get('confirm_secret') ?? '').trim()
  if (clientSecret === '') return undefined
  const source = host.addressOf(context.env)
  const attempt = { clientId: session.applicationId, clientSecret, source }
  const result = await host.signIn(attempt, 'portal.confirm')
  if (typeof result !== 'string') return result
  return { sentence: signInSentences[result], status: result === 'throttled' ? 429 : 401 }
}

/** Asks for a proof before a change. The form contains the entries, so that nothing is lost. */
export const confirmationPage = (
  visit: AdministratorRequest,
  action: string,
  fields: Readonly<Record<string, string>>,
  { encoding }: FormBody = {},
  fault?: ConfirmationFault,
): Promise<Response> =>
  page(visit, {
    title: 'Confirm the change',
    status: fault?.status ?? 401,
    content: html`${fault && html`<p role="alert" class="problem">${fault.sentence}</p>`}
<p role="status" class="note">Nothing was changed yet. Changes need the secret of <strong>${visit.administratorName}</strong> or a new link, if the last sign-in is more than ${confirmationSeconds / 60} minutes ago. Your entries are kept.</p>
${facts(
  Object.entries(fields)
    .filter(([, value]) => value.length <= maxShownLength)
    .slice(0, maxShownFields),
)}
<form method="post" action="${action}"${encoding && html` enctype="${encoding}"`}><input type="hidden" name="form_token" value="${visit.tokenOf(action)}">${hiddenFields(fields)}
${field({ name: 'confirm_secret', label: 'Client secret', type: 'password', maxLength: 1024, autocomplete: 'current-password' })}
${field({ name: 'confirm_link', label: 'Or a new link', maxLength: 2048, help: html`Run <code>greeting portal --no-open</code>, and paste the link here instead of opening it.` })}
<button>Confirm and send</button></form>
<p><a href="/portal">Discard the entries</a></p>`,
  })
