import { findApplications } from '@greeting/registrations/apply'
import { isComplete } from '@greeting/registrations/explaining'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { ActionFault, actionFault } from '../graph/administrator-request.ts'
import { offeredNames } from '../graph/application-list.ts'
import {
  apiName,
  explanationsOf,
  findId,
  findPrincipal,
  type Principal,
  UnclearName,
} from '../graph/applications.ts'
import { decodeToken, judgeToken } from '../graph/token-judge.ts'
import { applicationPath } from '../layout/application-page.ts'
import {
  type Attempt,
  candidateLinks,
  choice,
  field,
  form,
  hiddenFields,
  picker,
} from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { type Html, snippet } from '../layout/parts.ts'
import { comparisonTable, judged, preview } from '../layout/token-parts.ts'
import { verdict } from '../layout/verdict.ts'
import type { Form } from '../security/portal-form.ts'

const path = '/portal/token'
const maxTokenLength = 16 * 1024

type Chosen = { readonly client: string; readonly api: string }

/** What a refused form or question did not give. */
const notDone: Readonly<Record<string, string>> = {
  [path]: 'No preview.',
  [`${path}/request`]: 'Not requested.',
  [`${path}/check`]: 'Not checked.',
}

const show: PageRow['show'] = async (request, { req }, attempt) => {
  const of = (name: string) => (attempt?.form.get(name) ?? req.query(name) ?? '').trim()
  const chosen = { client: of('client'), api: of('api') }
  if (attempt || chosen.client === '' || chosen.api === '')
    return tokenPageOf(request, chosen, '', attempt)
  try {
    return tokenPageOf(request, chosen, await chosenPart(request, chosen))
  } catch (cause) {
    if (!(cause instanceof ActionFault)) throw cause
    const { message, status } = cause
    const links = cause instanceof UnclearName ? candidateLinks(cause, path, chosen) : ''
    return tokenPageOf(request, chosen, links, { action: path, form: new Map(), message, status })
  }
}

/** The questions of the page, with the result of one of them. */
async function tokenPageOf(
  request: AdministratorRequest,
  { client, api }: Chosen,
  result: Html,
  attempt?: Attempt,
): Promise<Response> {
  const [offered, shownClient, shownApi] = await Promise.all([
    offeredNames(request),
    shownName(request, client),
    shownName(request, api),
  ])
  const kind = result === '' ? 'primary' : 'secondary'
  return page(request, {
    title: 'Token',
    attempt,
    notDone: attempt && notDone[attempt.action],
    content: html`<form method="get" action="${path}" class="bar">
${picker({ name: 'client', label: 'Client', placeholder: 'Name or ID', value: shownClient, required: true, options: offered.clients })}
${picker({ name: 'api', label: 'API', placeholder: 'Name, URI or ID', value: shownApi, required: true, options: offered.apis })}
<button class="${kind}">Preview the token</button></form>
${result}
<h2>Check a token</h2>
<p>The guard checks the token here. The token is neither stored nor logged.</p>
${form(
  request,
  `${path}/check`,
  html`${hiddenFields({ client })}${tokenField('token', 'Access token', html` required`)}
${field({ name: 'api', label: 'API (by default, the audience of the token)', value: shownApi, maxLength: 256, list: 'api-names' })}
<button class="secondary">Check the token</button>
<details><summary>Compare with another token</summary>
${tokenField('other_token', client ? `Second token (by default, the preview for ${shownClient})` : 'Second token')}
<button class="secondary" name="compare" value="yes">Compare the tokens</button></details>`,
)}`,
  })
}

/** The name of an application for a field; its ID when others have the name too. */
async function shownName({ graph }: AdministratorRequest, text: string): Promise<string> {
  const [one] = text === '' ? [] : await findApplications(graph, text)
  if (one?.applicationId !== text) return text
  return (await findApplications(graph, one.displayName)).length === 1 ? one.displayName : text
}

const tokenField = (name: string, label: string, more: Html = '') =>
  html`<label>${label}<textarea name="${name}" rows="4" maxlength="${maxTokenLength}" spellcheck="false"${more}></textarea></label>`

/** The answer for the chosen client and API, the form of their request, and the preview. */
async function chosenPart(request: AdministratorRequest, chosen: Chosen): Promise<Html> {
  const [client, api] = await Promise.all([
    findId(request, chosen.client),
    findId(request, chosen.api),
  ])
  const [explanation] = await explanationsOf(request, client, [api])
  const isReady = explanation && isComplete(explanation)
  return html`${explanation && verdict(request, explanation, { api, client })}
${
  !explanation?.blueprint &&
  html`<h2>Request the token</h2>
<p>Sends the request to the token endpoint with the secret of the client. The sign-in log records it.</p>
${form(
  request,
  `${path}/request`,
  html`${hiddenFields({ client, api })}
${field({ name: 'client_secret', label: 'Client secret', type: 'password', required: true, maxLength: 1024 })}
<details><summary>More options</summary>${choice({ name: 'endpoint', label: 'Token endpoint', options: ['v2.0', 'v1.0'].map((value) => ({ value, label: value })), help: 'Both endpoints give the same token: the API decides its version.' })}</details>
<button class="${isReady ? 'primary' : 'secondary'}">Request the token</button>`,
)}`
}
<h2>Preview</h2>
<p>The preview comes from the code that issues tokens. It needs no client secret, and shows no signature.</p>
${explanation?.refusal && html`<p class="note warn">The client cannot request this token yet.</p>`}
${await preview(request, client, api)}`
}

/** Requests a token at the token endpoint, as any client. */
const requestToken: ActionRow['run'] = async (request, sent) => {
  const chosen = { client: sent.get('client') ?? '', api: sent.get('api') ?? '' }
  const [clientId, api] = await Promise.all([
    findId(request, chosen.client),
    findPrincipal(request, chosen.api),
  ])
  const isV1 = sent.get('endpoint') === 'v1.0'
  const name = apiName(api)
  const tenant = `${request.host.authUrl}/${request.session.tenantId}`
  const response = await request.host.requestToken(
    new Request(`${tenant}/oauth2/${isV1 ? '' : 'v2.0/'}token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: (sent.get('client_secret') ?? '').trim(),
        ...(isV1 ? { resource: name } : { scope: `${name}/.default` }),
      }),
    }),
  )
  const answer = (await response.json()) as { readonly access_token?: string }
  const token = answer.access_token
  const shown = snippet(JSON.stringify(answer, undefined, 2), 'Response')
  const settings = `${applicationPath(clientId, 'Certificates & secrets')}#settings`
  return tokenPageOf(
    request,
    chosen,
    html`<h2>Response</h2><p>HTTP status ${response.status}</p>
${
  token === undefined
    ? shown
    : html`<p><a role="button" class="primary" href="${settings}">Settings to paste</a></p>
${await judged(request, api, token)}<details><summary>The whole response</summary>${shown}</details>`
}`,
  )
}

/**
 * A pasted token, also with the word before it.
 *
 * @throws {ActionFault} portal_form_invalid when it is too long.
 */
function pasted(sent: Form, name: string): string {
  const token = (sent.get(name) ?? '').trim().replace(/^Bearer /, '')
  if (token.length > maxTokenLength) throw actionFault('The token is too long.')
  return token
}

const checkToken: ActionRow['run'] = async (request, sent) => {
  const [token, other] = [pasted(sent, 'token'), pasted(sent, 'other_token')]
  const client = sent.get('client') ?? ''
  const audience = decodeToken(token)?.claims.aud
  const name = (sent.get('api') ?? '').trim() || (typeof audience === 'string' ? audience : '')
  if (name === '')
    throw actionFault('The token has no audience. Enter the API that must accept it.')
  const api = await findPrincipal(request, name)
  const result = sent.has('compare')
    ? comparison(request, api, [token, other || (await previewFor(request, client, api))])
    : judged(request, api, token)
  return tokenPageOf(
    request,
    { client, api: name },
    html`<h2>The token, as ${api.displayName} checks it</h2>${await result}`,
  )
}

/** The token to compare with when none was pasted. It does not leave the server. */
async function previewFor(
  request: AdministratorRequest,
  client: string,
  api: Principal,
): Promise<string> {
  if (client === '') throw actionFault('Paste a second token, or preview one first.')
  const { host, session, now } = request
  const clientId = await findId(request, client)
  const made = await host.previewToken(session.tenantId, clientId, apiName(api), now)
  if (!('token' in made)) throw actionFault(`AADSTS${made.code}: ${made.sentence}`)
  return made.token
}

async function comparison(
  request: AdministratorRequest,
  api: Principal,
  tokens: readonly string[],
): Promise<Html> {
  const both = tokens.map(async (token) => {
    const decoded = decodeToken(token)
    if (decoded === undefined) throw actionFault('One of the texts to compare is not a token.')
    return { decoded, judgement: await judgeToken(request, api, token) }
  })
  return comparisonTable(request.host.claims, await Promise.all(both))
}

export const tokenPage: PageRow = {
  path,
  section: 'Token',
  show,
  actions: [
    { suffix: '/request', run: requestToken, changesNothing: true },
    { suffix: '/check', run: checkToken, changesNothing: true },
  ],
}
