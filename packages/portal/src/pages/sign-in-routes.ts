import type { ServerEnv } from '@greeting/http-service'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import { openRequest } from '../graph/administrator-request.ts'
import type { PortalHost } from '../host/portal-host.ts'
import { plainPage } from '../layout/error-pages.ts'
import { form, hiddenFields } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import { facts } from '../layout/parts.ts'
import { portalPath, withSessionKey } from '../security/addresses.ts'
import type { FormTokens } from '../security/form-token.ts'
import {
  createLinkCode,
  linkSeconds,
  readLinkCode,
  spendLinkCode,
} from '../security/one-time-link.ts'
import { readPortalForm } from '../security/portal-form.ts'
import type { PortalSession } from '../security/portal-session.ts'
import { type PortalSessions, withCookies } from '../security/portal-sessions.ts'
import type { SealedValues } from '../security/sealed-values.ts'
import { signInPage, signInSentences, type Unsent } from './sign-in-page.ts'

const unsentForm = z.object({ action: z.string(), fields: z.record(z.string(), z.string()) })

/** The routes for the time before a session, and its end. */
export function signInRoutes(
  host: PortalHost,
  sealed: SealedValues,
  sessions: PortalSessions,
  formTokens: FormTokens,
): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  const attempt = (clientId: string, clientSecret: string, source: string) =>
    host.signIn({ clientId, clientSecret, source }, 'portal.signIn')

  app.get('/portal/sign-in', () => signInPage({ returnTo: '/portal', status: 200 }))

  app.post('/portal/sign-in', async (context) => {
    const sent = await readPortalForm(context)
    const clientId = (sent.get('client_id') ?? '').trim()
    const address = host.addressOf(context.env)
    const result = await attempt(clientId, (sent.get('client_secret') ?? '').trim(), address)
    const returnTo = portalPath(sent.get('return_to') ?? '') ?? '/portal'
    const unsent = readUnsent(sent.get('unsent'))
    if (typeof result === 'string') {
      const status = result === 'throttled' ? 429 : 401
      return signInPage({ returnTo, clientId, unsent, fault: signInSentences[result], status })
    }
    const session = sessions.begin(context, result)
    if (unsent === undefined) return context.redirect(withSessionKey(session, returnTo), 303)
    return withCookies(context, await unsentPage(unsent, session))
  })

  /** After the end of a session in the middle of a form: shows the entries, and sends them again. */
  async function unsentPage(unsent: Unsent, session: PortalSession): Promise<Response> {
    const visit = await openRequest(host, formTokens, session)
    return page(visit, {
      title: 'Send your entries',
      content: html`<p role="status" class="done">You are signed in again.</p>
<p>This form was not sent, because the session had ended. Secrets are not kept.</p>
${facts(Object.entries(unsent.fields))}
${form(visit, unsent.action, html`${hiddenFields(unsent.fields)}<button>Send</button>`)}
<p><a href="/portal">Discard the entries</a></p>`,
    })
  }

  app.post('/portal/links', async (context) => {
    const sent = await readPortalForm(context)
    const address = host.addressOf(context.env)
    const result = await attempt(
      sent.get('client_id') ?? '',
      sent.get('client_secret') ?? '',
      address,
    )
    const headers = { 'cache-control': 'no-store' }
    if (typeof result === 'string') {
      const status = result === 'throttled' ? 429 : 401
      const error_description = signInSentences[result]
      return context.json({ error: result, error_description }, status, headers)
    }
    const code = createLinkCode(sealed, result, host)
    const url = `${host.authUrl}/portal/link?code=${encodeURIComponent(code)}`
    return context.json({ url, expires_in: linkSeconds }, 201, headers)
  })

  app.get('/portal/link', async (context) => {
    const code = context.req.query('code') ?? ''
    const link = readLinkCode(sealed, code, host.now())
    if (link === undefined) return linkEnded()
    const { administratorName: name } = await host.namesOf(link)
    return page(undefined, {
      title: 'Sign in',
      content: html`<p>This link signs you in as <strong>${name}</strong>. It works once.</p>
<form method="post" action="/portal/link">${hiddenFields({ code })}<button>Sign in</button></form>`,
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
        return plainPage('Refused', 'The form is not of this session. Open it again.', 403)
      }
      await sessions.end(context)
    }
    return context.redirect('/portal/sign-in', 303)
  })
  return app
}

const linkEnded = () =>
  plainPage(
    'The link has ended',
    `A link works once, for ${linkSeconds} seconds. Run greeting portal again.`,
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
