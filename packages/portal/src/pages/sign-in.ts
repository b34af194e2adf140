import type { ServerEnv } from '@greeting/http-service'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { field, form, hiddenFields } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import { facts, type Html } from '../layout/parts.ts'
import { plainPage } from '../layout/refusals.ts'
import type { Administrator, PortalHost, SignInFault } from '../portal-host.ts'
import { portalPath, withSessionKey } from '../security/addresses.ts'
import {
  createLinkCode,
  isSpent,
  linkSeconds,
  readLinkCode,
  spendLinkCode,
} from '../security/one-time-link.ts'
import { type Form, type FormBody, readPortalForm } from '../security/portal-form.ts'
import {
  confirmationSeconds,
  type FormTokens,
  type NoSession,
  type PortalSession,
  type PortalSessions,
  type SealedValues,
  withCookies,
} from '../security/portal-sessions.ts'

/** The sentence for each fault. An unknown client and a wrong secret have the same. */
const signInSentences: Readonly<Record<SignInFault, string>> = {
  credentials_wrong: 'The client ID or the client secret is wrong.',
  credential_ended: 'This client secret is not valid now. Sign in with another one.',
  no_role:
    'This application is disabled, or has no role of Microsoft Graph or of the management API. Only an administrator application can sign in.',
  throttled: 'There were too many wrong attempts. Wait a minute, then try again.',
}

/** A sign-in or a proof that was refused. */
type Fault = { readonly error?: SignInFault; readonly sentence: string; readonly status: number }

/** The administrator of these credentials, or the fault. */
async function administratorOf(
  host: PortalHost,
  context: Context<ServerEnv>,
  credentials: { readonly clientId: string; readonly clientSecret: string },
  operation: 'portal.signIn' | 'portal.confirm' = 'portal.signIn',
): Promise<Administrator | Fault> {
  const source = host.addressOf(context.env)
  const result = await host.signIn({ ...credentials, source }, operation)
  if (typeof result !== 'string') return result
  const status = result === 'throttled' ? 429 : 401
  return { error: result, sentence: signInSentences[result], status }
}

const unsentForm = z.object({ action: z.string(), fields: z.record(z.string(), z.string()) })

/** A form that arrived after the end of its session. It is sent again after the sign-in. */
type Unsent = z.output<typeof unsentForm>

type SignInPage = {
  readonly returnTo: string
  readonly fault?: Fault
  readonly clientId?: string
  readonly unsent?: Unsent | undefined
  /** Why the request had no session. */
  readonly absence?: NoSession | 'new'
}

const absences: Readonly<Record<NoSession | 'new', string>> = {
  new: '',
  absent: '',
  ended: 'Your session has ended. Sign in again.',
  at_another_address:
    'This browser is signed in at another address, which contains the key of the session. Return to the tab with the portal, or sign in here to open this page.',
}

/** Asks for the client ID and the secret of an administrator application. */
export function signInPage({
  returnTo,
  fault,
  clientId,
  unsent,
  absence = 'absent',
}: SignInPage): Promise<Response> {
  return page(undefined, {
    title: 'Sign in',
    status: fault?.status ?? (absence === 'new' ? 200 : 401),
    content: html`${absences[absence] && html`<p role="status" class="note">${absences[absence]}${unsent && ' Your entries are kept.'}</p>`}
${fault && html`<p role="alert" class="problem">${fault.sentence}</p>`}
<form method="post" action="/portal/sign-in">
${hiddenFields({ return_to: returnTo, ...(unsent && { unsent: JSON.stringify(unsent) }) })}
${field({ name: 'client_id', label: 'Client ID', value: clientId ?? '', required: true, maxLength: 256, autocomplete: 'username' })}
${field({ name: 'client_secret', label: 'Client secret', type: 'password', required: true, maxLength: 1024, autocomplete: 'current-password' })}
<button class="primary">Sign in</button>
</form>
<p>Enter the client ID and the secret of an administrator application. <code>npx --no-install greeting start</code> writes the first one to <code>.greeting/administrator.env</code>. In the folder that contains <code>.greeting</code>, <code>npx --no-install greeting portal</code> signs you in without typing.</p>`,
  })
}

/**
 * The page at the root of the identity provider, for a person. A program gets JSON. Metrics have a
 * listener of their own, so the page links to them only when it is on.
 */
export const landingPage = (metricsUrl?: string): Promise<Response> =>
  page(undefined, {
    title: 'Identity provider',
    isPublic: true,
    content: html`<p>This server issues access tokens to programs, as Microsoft Entra ID does.</p>
<p><a href="/portal" role="button" class="primary">Open the portal</a></p>
<ul>
<li>Administrators: <code>npx --no-install greeting portal</code> opens the portal and signs you in.</li>
<li>Clients: the <a href="/common/v2.0/.well-known/openid-configuration">discovery document</a> lists the endpoints. Replace <code>common</code> with a tenant ID to get the document of that tenant.</li>
<li>Operators: <a href="/readyz">readiness</a>${metricsUrl && html`, <a href="${metricsUrl}/metrics">metrics</a>`}.</li>
</ul>`,
  })

/** The routes for the time before a session, and its end. */
export function signInRoutes(
  host: PortalHost,
  sealed: SealedValues,
  sessions: PortalSessions,
  formTokens: FormTokens,
  openRequest: (session: PortalSession) => Promise<AdministratorRequest>,
): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  app.get('/portal/sign-in', () => signInPage({ returnTo: '/portal', absence: 'new' }))

  app.post('/portal/sign-in', async (context) => {
    const sent = await readPortalForm(context)
    const clientId = (sent.get('client_id') ?? '').trim()
    const clientSecret = (sent.get('client_secret') ?? '').trim()
    const result = await administratorOf(host, context, { clientId, clientSecret })
    const returnTo = portalPath(sent.get('return_to') ?? '') ?? '/portal'
    const unsent = readUnsent(sent.get('unsent'))
    if ('sentence' in result) return signInPage({ returnTo, clientId, unsent, fault: result })
    const session = sessions.begin(context, result)
    if (unsent === undefined) return context.redirect(withSessionKey(session, returnTo), 303)
    return withCookies(context, await unsentPage(unsent, session))
  })

  /** After the end of a session in the middle of a form: shows the entries, and sends them again. */
  async function unsentPage(unsent: Unsent, session: PortalSession): Promise<Response> {
    const reason = html`<p role="status" class="done">You are signed in again.</p>
<p>This form was not sent, because the session had ended. Secrets are not kept.</p>`
    const button = html`<button class="primary">Send</button>`
    return entriesPage(await openRequest(session), 'Send your entries', unsent, reason, button)
  }

  app.post('/portal/links', async (context) => {
    const sent = await readPortalForm(context)
    const [clientId = '', clientSecret = ''] = [sent.get('client_id'), sent.get('client_secret')]
    const result = await administratorOf(host, context, { clientId, clientSecret })
    const headers = { 'cache-control': 'no-store' }
    if ('sentence' in result) {
      const { error, sentence, status } = result
      return Response.json({ error, error_description: sentence }, { status, headers })
    }
    const code = createLinkCode(sealed, result, host)
    const url = `${host.authUrl}/portal/link?code=${encodeURIComponent(code)}`
    return context.json({ url, expires_in: linkSeconds }, 201, headers)
  })

  app.get('/portal/link', async (context) => {
    const code = context.req.query('code') ?? ''
    const link = readLinkCode(sealed, code, host.now())
    if (link === undefined || (await isSpent(link, host.usedUp))) return linkEnded()
    const { administratorName: name } = await host.namesOf(link)
    return page(undefined, {
      title: 'Sign in',
      content: html`<p>This link signs you in as <strong>${name}</strong>. It works once.</p>
<form method="post" action="/portal/link">${hiddenFields({ code })}<button class="primary">Sign in</button></form>`,
    })
  })

  app.post('/portal/link', async (context) => {
    const code = (await readPortalForm(context)).get('code') ?? ''
    const administrator = await spendLinkCode(sealed, code, host.now(), host.usedUp)
    if (administrator === undefined) return linkEnded()
    return context.redirect(withSessionKey(sessions.begin(context, administrator), '/portal'), 303)
  })

  app.post('/portal/sign-out', async (context) => {
    const session = await sessions.find(context)
    if (typeof session !== 'string') {
      const token = (await readPortalForm(context)).get('form_token') ?? ''
      if (!formTokens.isTokenOf(session, '/portal/sign-out', token)) {
        return plainPage('Refused', 'Your session has changed. Open the form again.', 403)
      }
      await sessions.end(context)
    }
    return context.redirect('/portal/sign-in', 303)
  })
  return app
}

const linkEnded = () =>
  plainPage(
    'The link has expired',
    html`A link works once, within ${linkSeconds} seconds. Run <code>npx --no-install greeting portal</code> to get a new one.`,
    410,
  )

/** The unsent form that a sign-in page carried; undefined when it names no form of the portal. */
function readUnsent(text: string | undefined): Unsent | undefined {
  if (text === undefined) return undefined
  try {
    const { data } = unsentForm.safeParse(JSON.parse(text))
    return data && portalPath(data.action) === data.action ? data : undefined
  } catch {
    return undefined
  }
}

const maxShownLength = 120
const maxShownFields = 12
const linkFault =
  'The link has expired, was used, or belongs to another administrator. Run npx --no-install greeting portal --no-open again.'

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
): Promise<Administrator | Fault | undefined> {
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
  const credentials = { clientId: session.applicationId, clientSecret }
  return administratorOf(host, context, credentials, 'portal.confirm')
}

/** The entries of a form that was not sent, and what sends them. */
const entriesPage = (
  request: AdministratorRequest,
  title: string,
  { action, fields, encoding }: Unsent & Pick<FormBody, 'encoding'>,
  reason: Html,
  proof: Html,
  status = 200,
): Promise<Response> =>
  page(request, {
    title,
    status,
    content: html`${reason}
${facts(
  Object.entries(fields)
    .filter(([, value]) => value.length <= maxShownLength)
    .slice(0, maxShownFields),
)}
${form(request, action, html`${hiddenFields(fields)}${proof}`, encoding && html` enctype="${encoding}"`)}
<p><a href="/portal">Discard the entries</a></p>`,
  })

/** Asks for a proof before a change. The form contains the entries, so that nothing is lost. */
export const confirmationPage = (
  request: AdministratorRequest,
  unsent: Unsent & Pick<FormBody, 'encoding'>,
  fault?: Fault,
): Promise<Response> =>
  entriesPage(
    request,
    'Confirm the change',
    unsent,
    html`${fault && html`<p role="alert" class="problem">${fault.sentence}</p>`}
<p role="status" class="note">Nothing was changed yet. If the last sign-in was more than ${confirmationSeconds / 60} minutes ago, a change needs the secret of <strong>${request.administratorName}</strong> or a new link. Your entries are kept.</p>`,
    html`${field({ name: 'confirm_secret', label: 'Client secret', type: 'password', maxLength: 1024, autocomplete: 'current-password' })}
${field({ name: 'confirm_link', label: 'Or a new link', maxLength: 2048, help: html`Run <code>npx --no-install greeting portal --no-open</code>, and paste the link here instead of opening it.` })}
<button class="primary">Confirm and send</button>`,
    fault?.status ?? 401,
  )
