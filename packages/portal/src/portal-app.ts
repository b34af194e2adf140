// Folder: Pages for administrators: a client of the server by an interface that it declares.

import { BodyCutError, BodyTooLargeError, type ServerEnv } from '@greeting/http-service'
import { GraphRefusalError } from '@greeting/registrations/apply'
import { type Context, Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import {
  ActionFault,
  type AdministratorRequest,
  openRequest,
} from './graph/administrator-request.ts'
import type { Attempt } from './layout/form.ts'
import { staticFiles } from './layout/page.ts'
import type { ActionRow, PageRow } from './layout/page-row.ts'
import { errorPage, plainPage, refusalPage, refusalSentence } from './layout/refusals.ts'
import { agentsPage } from './pages/agents-page.ts'
import { exposePage, rolesPage } from './pages/api-pages.ts'
import { applicationOverview } from './pages/application-overview.ts'
import { applicationsPage, deletedPage } from './pages/applications-page.ts'
import { assignmentsPage } from './pages/assignments-page.ts'
import { credentialsPages } from './pages/credentials-page.ts'
import { filePages } from './pages/file-page.ts'
import { keysPages } from './pages/keys-page.ts'
import { labPages } from './pages/lab-page.ts'
import { logsPages } from './pages/logs-page.ts'
import { manifestPage } from './pages/manifest-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import { permissionsPage } from './pages/permissions-page.ts'
import { newApiPage } from './pages/registration.ts'
import {
  confirmationPage,
  landingPage,
  readConfirmation,
  signInPage,
  signInRoutes,
} from './pages/sign-in.ts'
import { tokenPage } from './pages/token-page.ts'
import type { PortalHost } from './portal-host.ts'
import { portalOrigins, withoutSessionKey, withSessionKey } from './security/addresses.ts'
import { type Form, PortalFormError, readPortalForm } from './security/portal-form.ts'
import {
  FormTokens,
  isConfirmed,
  type NoSession,
  type PortalSession,
  PortalSessions,
  SealedValues,
  withCookies,
} from './security/portal-sessions.ts'

/** Every page. The order of the sections is that of the navigation. */
const pages: readonly PageRow[] = [
  overviewPage,
  applicationsPage,
  applicationOverview,
  deletedPage,
  newApiPage,
  agentsPage,
  ...credentialsPages,
  permissionsPage,
  rolesPage,
  exposePage,
  assignmentsPage,
  manifestPage,
  tokenPage,
  ...logsPages,
  ...keysPages,
  ...filePages,
  ...labPages,
]

type Action = ActionRow & { readonly path: string; readonly page: PageRow }

export const portalActions: readonly Action[] = pages.flatMap((page) =>
  (page.actions ?? []).map((action) => ({
    ...action,
    page,
    path: page.path + (action.suffix ?? ''),
  })),
)

/** The first page of each section that this server has. */
const navigationOf = ({ lab }: PortalHost) =>
  [...new Set(pages.map(({ section }) => section))]
    .filter((section) => section !== 'Lab' || lab)
    .map((name) => ({ name, path: pages.find((one) => one.section === name)?.path ?? '' }))

/** Fields that are never shown again: they are secrets. */
const secretFields: ReadonlySet<string> = new Set([
  ...['form_token', 'client_secret', 'token', 'other_token'],
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
    if (!names.has(name))
      return plainPage('Wrong address', `The portal is at ${host.authUrl}/portal.`, 421)
    const isForm = context.req.method === 'POST' && context.req.path !== '/portal/links'
    if (isForm && !origins.has(context.req.header('origin') ?? ''))
      return plainPage('Refused', 'The form was not sent by a page of this portal.', 403)
    return next()
  })
  app.get('/', () => landingPage(host.metricsUrl))
  app.get('/error', ({ req }) => errorPage(host, req.query('code'), req.query('correlation_id')))
  app.get('/portal/static/:name', async ({ req, notFound }) => {
    const file = await staticFiles.answer(req.param('name'), req.header('accept-encoding'))
    return file ?? notFound()
  })
  const navigation = navigationOf(host)
  const open = (session: PortalSession) => openRequest(host, formTokens, navigation, session)
  app.route('/', signInRoutes(host, sealed, sessions, formTokens, open))

  // 2. The session of every other request.
  const requestOf = async (
    context: Context<ServerEnv>,
  ): Promise<AdministratorRequest | NoSession> => {
    const session = await sessions.find(context)
    return typeof session === 'string' ? session : open(session)
  }

  // 3. Pages.
  for (const { path, section, show } of pages) {
    app.get(path, async (context) => {
      const request = await requestOf(context)
      if (typeof request === 'string') {
        const returnTo = `${context.req.path}${new URL(context.req.url).search}`
        return signInPage({ returnTo, absence: request })
      }
      const shown = await guarded(request, () => show({ ...request, section, context }, context))
      return withCookies(context, shown)
    })
  }

  // 4. Forms: the session, the body, the token of the form, the confirmation, then the change.
  for (const action of portalActions) {
    app.post(action.path, async (context) => {
      const { path } = context.req
      const request = await requestOf(context)
      if (typeof request === 'string') {
        // Without a session, nothing is read beyond the default limit.
        const isLarge = action.body !== undefined
        const fields = isLarge ? undefined : keptFields(await readPortalForm(context))
        const unsent = fields && { action: path, fields }
        return signInPage({ returnTo: '/portal', absence: 'ended', unsent })
      }
      const form = await readPortalForm(context, action.body)
      if (!formTokens.isTokenOf(request.session, path, form.get('form_token') ?? ''))
        return plainPage('Refused', 'Your session has changed. Open the form again.', 403, request)
      if (action.changesNothing || isConfirmed(request.session, request.now))
        return act(action, request, form, context)
      const proof = await readConfirmation(host, sealed, request, form, context)
      if (proof === undefined || 'sentence' in proof) {
        const unsent = { action: path, fields: keptFields(form), ...action.body }
        return confirmationPage(request, unsent, proof)
      }
      const confirmed = sessions.begin(context, proof, request.session)
      const next = await open(confirmed)
      return withCookies(context, await act(action, next, form, context))
    })
  }

  app.all('/portal/*', async (context) => {
    const request = await requestOf(context)
    const sentence =
      'The portal has no such page. If you followed a link, its object may have been deleted.'
    return plainPage('Not found', sentence, 404, typeof request === 'string' ? undefined : request)
  })
  app.onError((cause) => {
    if (cause instanceof BodyTooLargeError) {
      const sentence = 'The form is larger than the portal accepts. Nothing was changed.'
      return plainPage('Too large', sentence, 413)
    }
    if (cause instanceof PortalFormError)
      return plainPage('Refused', `${cause.message} Nothing was changed.`, cause.status)
    if (cause instanceof BodyCutError)
      return plainPage('Refused', 'The form is incomplete. Nothing was changed.', 400)
    if (isStoreAway(cause)) {
      const sentence =
        'The store is unavailable. Nothing was changed. Try again in a moment. If it is still unavailable, look at the log of the server.'
      return plainPage('The store is unavailable', sentence, 503)
    }
    host.reportFailure(cause)
    return plainPage('Failed', 'The request failed. The server log has the reason.', 500)
  })
  return app
}

/** Makes the change of a form: the next page, or the form again with the reason. */
const act = (
  action: Action,
  request: AdministratorRequest,
  form: Form,
  context: Context<ServerEnv>,
): Promise<Response> =>
  guarded(request, async () => {
    const { section, show } = action.page
    const shown = { ...request, section, context }
    try {
      const next = await action.run(shown, form, context)
      return typeof next === 'string'
        ? context.redirect(withSessionKey(request.session, next), 303)
        : next
    } catch (cause) {
      const message = faultSentence(cause, request)
      if (message === undefined) throw cause
      const { status } = cause as ActionFault | GraphRefusalError
      const attempt: Attempt = {
        action: context.req.path,
        form: new Map(Object.entries(keptFields(form))),
        message,
        status,
      }
      return show(shown, context, attempt)
    }
  })

/** The identity provider throws it when its store does not answer. */
const isStoreAway = (cause: Error) => 'code' in cause && cause.code === 'storage_unavailable'

/** The sentence for a refused form; undefined when the page cannot be shown again. */
function faultSentence(cause: unknown, request: AdministratorRequest): string | undefined {
  if (cause instanceof ActionFault) return cause.message
  const isRefusal = cause instanceof GraphRefusalError && cause.status !== 401
  return isRefusal ? refusalSentence(cause, request) : undefined
}

async function guarded(
  request: AdministratorRequest,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer()
  } catch (cause) {
    if (cause instanceof GraphRefusalError) return refusalPage(request, cause)
    throw cause
  }
}

const keptFields = (form: Form): Record<string, string> =>
  Object.fromEntries([...form].filter(([name]) => !secretFields.has(name)))
