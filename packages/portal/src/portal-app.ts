import type { ServerEnv } from '@greeting/http-service'
import { BodyCutError, BodyTooLargeError } from '@greeting/http-service'
import { GraphRefusalError } from '@greeting/registrations/apply'
import { type Context, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import {
  ActionFault,
  type AdministratorRequest,
  openRequest,
} from './graph/administrator-request.ts'
import type { PortalHost } from './host/portal-host.ts'
import { plainPage, refusalPage, refusalSentence } from './layout/error-pages.ts'
import type { Attempt } from './layout/form.ts'
import { staticFiles } from './layout/static-files.ts'
import {
  applicationOverviewActions,
  applicationOverviewPages,
} from './pages/application-overview.ts'
import { applicationsActions, applicationsPages } from './pages/applications-page.ts'
import { assignmentsActions, assignmentsPages } from './pages/assignments-page.ts'
import { confirmationPage, readConfirmation } from './pages/confirmation.ts'
import { credentialsActions, credentialsPages } from './pages/credentials-page.ts'
import { deletedActions, deletedPages } from './pages/deleted-page.ts'
import { exposeActions, exposePages } from './pages/expose-page.ts'
import { fileActions, filePages } from './pages/file-page.ts'
import { keysActions, keysPages } from './pages/keys-page.ts'
import { clockActions, clockPages } from './pages/lab/clock-page.ts'
import { faultsActions, faultsPages } from './pages/lab/faults-page.ts'
import { forgeriesActions, forgeriesPages } from './pages/lab/forgeries-page.ts'
import { requestsActions, requestsPages } from './pages/lab/requests-page.ts'
import { landingPage } from './pages/landing-page.ts'
import { logsPages } from './pages/logs-page.ts'
import { manifestActions, manifestPages } from './pages/manifest-page.ts'
import { overviewPages } from './pages/overview-page.ts'
import type { ActionRow, PageRow } from './pages/page-row.ts'
import { permissionsActions, permissionsPages } from './pages/permissions-page.ts'
import { rolesActions, rolesPages } from './pages/roles-page.ts'
import { signInPage } from './pages/sign-in-page.ts'
import { signInRoutes } from './pages/sign-in-routes.ts'
import { tokenActions, tokenPages } from './pages/token-page.ts'
import { portalOrigins, withoutSessionKey, withSessionKey } from './security/addresses.ts'
import { FormTokens } from './security/form-token.ts'
import type { Form } from './security/portal-form.ts'
import { PortalFormError, readPortalForm } from './security/portal-form.ts'
import { isConfirmed } from './security/portal-session.ts'
import { type NoSession, PortalSessions, withCookies } from './security/portal-sessions.ts'
import { SealedValues } from './security/sealed-values.ts'

const pages: readonly PageRow[] = [
  ...overviewPages,
  ...applicationsPages,
  ...applicationOverviewPages,
  ...deletedPages,
  ...credentialsPages,
  ...permissionsPages,
  ...rolesPages,
  ...exposePages,
  ...assignmentsPages,
  ...manifestPages,
  ...tokenPages,
  ...logsPages,
  ...keysPages,
  ...filePages,
  ...faultsPages,
  ...clockPages,
  ...forgeriesPages,
  ...requestsPages,
]
/** The forms of the portal. */
export const portalActions: readonly ActionRow[] = [
  ...applicationsActions,
  ...applicationOverviewActions,
  ...deletedActions,
  ...credentialsActions,
  ...permissionsActions,
  ...rolesActions,
  ...exposeActions,
  ...assignmentsActions,
  ...manifestActions,
  ...tokenActions,
  ...keysActions,
  ...fileActions,
  ...faultsActions,
  ...clockActions,
  ...forgeriesActions,
  ...requestsActions,
]

/** Fields that are never shown again: they are secrets. */
const secretFields: ReadonlySet<string> = new Set([
  ...['form_token', 'client_secret', 'token'],
  ...['confirm_secret', 'confirm_link'],
])

/**
 * Creates the portal: pages for administrators, without script if necessary. Every page and form calls
 * the operations of the management APIs as the administrator who signed in.
 */
export function createPortal(host: PortalHost): Hono<ServerEnv> {
  const sealed = new SealedValues(host)
  const formTokens = new FormTokens(host.formKey)
  const origins = portalOrigins(host.authUrl)
  const names = new Set([...origins].map((origin) => new URL(origin).host))
  const sessions = new PortalSessions(host, sealed)
  // The routes know no session: its key is removed from the path.
  const app = new Hono<ServerEnv>({ getPath: (request) => withoutSessionKey(getPath(request)) })

  // 1. Only the own names of the server, and forms only of its own pages.
  app.use('/portal/*', async (context, next) => {
    const name = context.req.header('host') ?? new URL(context.req.url).host
    if (!names.has(name)) {
      return plainPage('Wrong address', `The portal is at ${host.authUrl}/portal.`, 421)
    }
    const isForm = context.req.method === 'POST' && context.req.path !== '/portal/links'
    if (isForm && !origins.has(context.req.header('origin') ?? '')) {
      return plainPage('Refused', 'The form was not sent by a page of this portal.', 403)
    }
    return next()
  })
  app.get('/', () => landingPage(host.authUrl, host.metricsUrl))
  app.get('/portal/static/:name', async ({ req, notFound }) => {
    const file = await staticFiles.answer(req.param('name'), req.header('accept-encoding'))
    return file ?? notFound()
  })
  app.route('/', signInRoutes(host, sealed, sessions, formTokens))

  // 2. The session of every other request.
  const visitOf = async (
    context: Context<ServerEnv>,
  ): Promise<AdministratorRequest | NoSession> => {
    const session = await sessions.find(context)
    return typeof session === 'string' ? session : openRequest(host, formTokens, session)
  }

  // 3. Pages.
  for (const { path, show } of pages) {
    app.get(path, async (context) => {
      const visit = await visitOf(context)
      if (typeof visit === 'string') {
        const returnTo = `${context.req.path}${new URL(context.req.url).search}`
        return signInPage({ returnTo, absence: visit })
      }
      return guarded(visit, () => show(visit, context))
    })
  }

  // 4. Forms: the session, the body, the token of the form, the confirmation, then the change.
  for (const action of portalActions) {
    app.post(action.path, async (context) => {
      const { path } = context.req
      const visit = await visitOf(context)
      if (typeof visit === 'string') {
        // Without a session, nothing is read beyond the default limit.
        const isSmall = action.body === undefined
        const unsent = isSmall
          ? { action: path, fields: keptFields(await readPortalForm(context)) }
          : undefined
        return signInPage({ returnTo: '/portal', absence: 'ended', unsent })
      }
      const form = await readPortalForm(context, action.body)
      if (!formTokens.isTokenOf(visit.session, path, form.get('form_token') ?? '')) {
        return plainPage('Refused', 'The form is not of this session. Open it again.', 403, visit)
      }
      if (action.changesNothing || isConfirmed(visit.session, visit.now)) {
        return act(action, visit, form, context)
      }
      const proof = await readConfirmation(host, sealed, visit, form, context)
      if (proof === undefined || 'sentence' in proof) {
        return confirmationPage(visit, path, keptFields(form), action.body, proof)
      }
      const confirmed = sessions.begin(context, proof, visit.session)
      const next = await openRequest(host, formTokens, confirmed)
      return withCookies(context, await act(action, next, form, context))
    })
  }

  app.all('/portal/*', async (context) =>
    plainPage('Not found', 'The portal has no such page.', 404, visitIn(await visitOf(context))),
  )
  app.onError((cause) => {
    if (cause instanceof BodyTooLargeError) {
      return plainPage(
        'Too large',
        'The form is larger than the portal accepts. Nothing was changed.',
        413,
      )
    }
    if (cause instanceof PortalFormError) {
      return plainPage('Refused', `${cause.message} Nothing was changed.`, cause.status)
    }
    if (cause instanceof BodyCutError) {
      return plainPage('Refused', 'The form is incomplete. Nothing was changed.', 400)
    }
    if (isStoreAway(cause)) {
      const sentence = 'The store does not answer. Nothing was changed. Try again in a moment.'
      return plainPage('The store does not answer', sentence, 503)
    }
    host.reportFailure(cause)
    return plainPage('Failed', 'The request could not be answered. The log has the reason.', 500)
  })
  return app
}

/** Makes the change of a form: the next page, or the form again with the reason. */
const act = (
  action: ActionRow,
  visit: AdministratorRequest,
  form: Form,
  context: Context<ServerEnv>,
): Promise<Response> =>
  guarded(visit, async () => {
    try {
      const next = await action.run(visit, form, context)
      return typeof next === 'string'
        ? context.redirect(withSessionKey(visit.session, next), 303)
        : next
    } catch (cause) {
      const message = faultSentence(cause, visit)
      if (message === undefined) throw cause
      const { status } = cause as ActionFault | GraphRefusalError
      const attempt: Attempt = {
        action: context.req.path,
        form: new Map(Object.entries(keptFields(form))),
        message,
        status,
      }
      return action.show(visit, context, attempt)
    }
  })

/** The identity provider throws it when its store does not answer. */
const isStoreAway = (cause: Error) => 'code' in cause && cause.code === 'storage_unavailable'

const visitIn = (visit: AdministratorRequest | NoSession) =>
  typeof visit === 'string' ? undefined : visit

/** The sentence for a refused form; undefined when the page cannot be shown again. */
function faultSentence(cause: unknown, visit: AdministratorRequest): string | undefined {
  if (cause instanceof ActionFault) return cause.message
  const isRefusal = cause instanceof GraphRefusalError && cause.status !== 401
  return isRefusal ? refusalSentence(cause, visit) : undefined
}

async function guarded(
  visit: AdministratorRequest,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer()
  } catch (cause) {
    if (cause instanceof GraphRefusalError) return refusalPage(visit, cause)
    throw cause
  }
}

const keptFields = (form: Form): Record<string, string> =>
  Object.fromEntries([...form].filter(([name]) => !secretFields.has(name)))
