import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { ActionFault, actionFault } from '../graph/administrator-request.ts'
import {
  apiName,
  explanationsOf,
  findId,
  findPrincipal,
  offeredNames,
  principalOf,
  UnclearName,
} from '../graph/applications.ts'
import { judgedApi, judgeToken } from '../graph/token-judge.ts'
import { candidateLinks, choice, field, form, picker, problem } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import type { Html } from '../layout/parts.ts'
import { snippet } from '../layout/parts.ts'
import { claimTable, decodeToken, judgementTables } from '../layout/token-parts.ts'
import { verdict } from '../layout/verdict.ts'

const path = '/portal/token'
const maxTokenLength = 16 * 1024

/** The token request of each version of the endpoint. */
const endpoints = {
  'v2.0': {
    suffix: '/oauth2/v2.0/token',
    target: (name: string) => ({ scope: `${name}/.default` }),
  },
  'v1.0': { suffix: '/oauth2/token', target: (name: string) => ({ resource: name }) },
} as const

const endpointOf = (text: string | undefined) => (text === 'v1.0' ? 'v1.0' : 'v2.0')

type Chosen = { readonly client: string; readonly api: string; readonly endpoint: 'v1.0' | 'v2.0' }

const show: PageRow['show'] = async (request, { req }, attempt) => {
  const of = (name: string) => (attempt?.form.get(name) ?? req.query(name) ?? '').trim()
  const chosen: Chosen = {
    client: of('client'),
    api: of('api'),
    endpoint: endpointOf(of('endpoint')),
  }
  if (attempt || chosen.client === '' || chosen.api === '')
    return previewPage(request, chosen, '', attempt)
  try {
    return previewPage(request, chosen, await preview(request, chosen))
  } catch (cause) {
    if (!(cause instanceof ActionFault)) throw cause
    const { message, status } = cause
    const links = cause instanceof UnclearName ? candidateLinks(cause, path, chosen) : ''
    return previewPage(request, chosen, links, { action: path, form: new Map(), message, status })
  }
}

async function previewPage(
  request: AdministratorRequest,
  { client, api, endpoint }: Chosen,
  result: Html,
  attempt?: Parameters<typeof problem>[0],
): Promise<Response> {
  const offered = await offeredNames(request)
  const versions = Object.keys(endpoints).map((value) => ({ value, label: value }))
  return page(request, {
    title: 'Token',
    status: attempt?.status ?? 200,
    content: html`${problem(attempt)}
<p>Shows the token that a client would get, by the code that issues tokens. The preview authenticates no client, and shows no signature.</p>
<form method="get" action="${path}" class="bar">
${picker({ name: 'client', label: 'Client: name, URI or ID', value: client, required: true, options: offered.clients })}
${picker({ name: 'api', label: 'API: name, URI or ID', value: api, required: true, options: offered.apis })}
${choice({ name: 'endpoint', label: 'Token endpoint', value: endpoint, options: versions, help: 'The API chooses the version of its tokens, not the endpoint.' })}
<button>Preview</button></form>
${result}
<h2>Check a token</h2>
<p>The guard judges the token here. It is not stored and not logged.</p>
${form(
  request,
  `${path}/check`,
  html`<label>Access token<textarea name="token" rows="5" required maxlength="${maxTokenLength}" spellcheck="false" data-decode></textarea></label>
${field({ name: 'api', label: 'API: name, URI or application ID. Empty: the audience of the token', value: api, maxLength: 256 })}
<button>Check</button>`,
)}`,
  })
}

async function preview(request: AdministratorRequest, chosen: Chosen): Promise<Html> {
  const [client, api] = await Promise.all([
    findId(request, chosen.client),
    findId(request, chosen.api),
  ])
  const principal = await principalOf(request, api)
  const name = principal ? apiName(principal) : api
  const made = await request.host.previewToken(request.session.tenantId, client, name, request.now)
  const decoded = 'token' in made ? decodeToken(made.token) : undefined
  const [explanation] = await explanationsOf(request, client, [api])
  return html`<h2>Preview</h2>
${explanation && verdict(request, explanation, { api, client })}
<h3>Request</h3>${snippet(requestText(request, chosen, client, name), 'Request')}
${
  'token' in made
    ? html`${explanation?.refusal && html`<p class="note">The client cannot request this token yet. The preview authenticates no client.</p>`}
${decoded && claimTable(decoded, request.now)}<p>With its signature, the token has ${made.token.length} characters.</p>
${principal && judgementTables(await judgeToken(request, judgedApi(principal), made.token))}`
    : html`<p class="problem">AADSTS${made.code}: ${made.sentence} (<code>${made.refusal}</code>)</p>`
}
<h2>Request it</h2>
<p>Sends the request to the token endpoint with the secret of the client. The sign-in log records it.</p>
${form(
  request,
  `${path}/request`,
  html`<input type="hidden" name="client" value="${client}"><input type="hidden" name="api" value="${api}"><input type="hidden" name="endpoint" value="${chosen.endpoint}">
${field({ name: 'client_secret', label: 'Client secret', type: 'password', required: true, maxLength: 1024 })}<button>Request</button>`,
)}`
}

function requestText(
  request: AdministratorRequest,
  { endpoint }: Chosen,
  clientId: string,
  apiName: string,
): string {
  const { suffix, target } = endpoints[endpoint]
  const fields = { grant_type: 'client_credentials', client_id: clientId, ...target(apiName) }
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
  return `POST ${request.host.authUrl}/${request.session.tenantId}${suffix}
content-type: application/x-www-form-urlencoded

${lines.join('\n')}
client_secret=<the secret of the client>`
}

/** Requests a token at the token endpoint, as any client. */
const requestToken: ActionRow['run'] = async (request, sent) => {
  const chosen: Chosen = {
    client: sent.get('client') ?? '',
    api: sent.get('api') ?? '',
    endpoint: endpointOf(sent.get('endpoint')),
  }
  const [clientId, api] = await Promise.all([
    findId(request, chosen.client),
    findPrincipal(request, chosen.api),
  ])
  const { suffix, target } = endpoints[chosen.endpoint]
  const { authUrl } = request.host
  const response = await request.host.requestToken(
    new Request(`${authUrl}/${request.session.tenantId}${suffix}`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: (sent.get('client_secret') ?? '').trim(),
        ...target(apiName(api)),
      }),
    }),
  )
  const answer = (await response.json()) as { readonly access_token?: string }
  const decoded = answer.access_token === undefined ? undefined : decodeToken(answer.access_token)
  const judgement =
    answer.access_token &&
    judgementTables(await judgeToken(request, judgedApi(api), answer.access_token))
  return previewPage(
    request,
    chosen,
    html`<h2>Answer</h2><p>HTTP status ${response.status}</p>
${snippet(JSON.stringify(answer, undefined, 2), 'Answer')}
${decoded && claimTable(decoded, request.now)}${judgement}`,
  )
}

const checkToken: ActionRow['run'] = async (request, sent) => {
  const pasted = (sent.get('token') ?? '').trim()
  const token = pasted.startsWith('Bearer ') ? pasted.slice('Bearer '.length) : pasted
  if (token.length > maxTokenLength) throw actionFault('The token is too long.')
  const decoded = decodeToken(token)
  const audience = decoded?.claims.aud
  const name = (sent.get('api') ?? '').trim() || (typeof audience === 'string' ? audience : '')
  if (name === '')
    throw actionFault('The token names no audience. Enter the API that must accept it.')
  const api = await findPrincipal(request, name)
  const judgement = await judgeToken(request, judgedApi(api), token)
  return previewPage(
    request,
    { client: '', api: name, endpoint: 'v2.0' },
    html`<h2>The token at ${api.displayName}</h2>${judgementTables(judgement)}${decoded && claimTable(decoded, request.now)}`,
  )
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
