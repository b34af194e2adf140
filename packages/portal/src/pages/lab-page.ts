import type { GraphRequest } from '@greeting/registrations/apply'
import { html } from 'hono/html'
import { z } from 'zod'
import {
  type AdministratorRequest,
  actionFault,
  type InProcessGraph,
} from '../graph/administrator-request.ts'
import { findPrincipal } from '../graph/applications.ts'
import { applicationNames } from '../graph/names.ts'
import { guardOf } from '../graph/token-judge.ts'
import { type Attempt, buttonForm, field, form } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { copyable, facts, type Html, linkList, mark, table, time } from '../layout/parts.ts'
import { plainPage } from '../layout/refusals.ts'
import type { Form } from '../security/portal-form.ts'
import { faultOf, faultsPath, showFaults } from './lab-faults.ts'

const clockPath = `${faultsPath}/clock`
const forgeriesPath = `${faultsPath}/forgeries`
const requestsPath = `${faultsPath}/requests`

type ShowTab = typeof showFaults

const clock = z.object({ now: z.string(), isFrozen: z.boolean(), offsetMs: z.number() })

const steps = [
  { label: 'One minute', seconds: 60 },
  { label: 'One hour', seconds: 3600 },
  { label: 'One day', seconds: 86_400 },
  { label: '30 days', seconds: 2_592_000 },
] as const

const showClock: ShowTab = async (lab, request, _context, attempt) => {
  const { now, isFrozen, offsetMs } = await lab.get('/clock', clock)
  return html`<p>Tokens, secrets, keys, logs and your session follow this clock. Your session ends at <code>${request.session.expiresAt.toISOString()}</code>. After your secret has expired, nobody can sign in until the server restarts.</p>
${facts([
  ['Time', html`<code>${now}</code>`],
  [
    'State',
    html`${isFrozen ? mark('warn', 'frozen') : mark('good', 'running')} ${buttonForm(request, clockPath, isFrozen ? 'Let the clock run' : 'Freeze the clock', { freeze: String(!isFrozen) })}`,
  ],
  ['Difference from the system clock', `${Math.round(offsetMs / 1000)} seconds`],
])}
<h2>Advance the clock</h2>
<div class="buttons">${steps.map(({ label, seconds }) => buttonForm(request, clockPath, [label, 'later'], { advance: String(seconds) }))}</div>
<h2>Set the clock</h2>
${form(
  request,
  clockPath,
  html`${field({ name: 'set', label: 'Time in UTC', value: now, required: true, maxLength: 40, help: 'For example 2030-01-01T00:00:00Z.' }, attempt)}<button>Set the clock</button>`,
)}
${buttonForm(request, clockPath, 'Use the system clock', { reset: 'true' })}`
}

/** The field of a form as the request of the API. */
function clockChangeOf(sent: Form): object {
  if (sent.has('reset')) return { reset: true }
  if (sent.has('freeze')) return { freeze: sent.get('freeze') === 'true' }
  if (sent.has('advance')) return { advanceSeconds: Number(sent.get('advance')) }
  const at = new Date((sent.get('set') ?? '').trim())
  if (Number.isNaN(at.getTime())) throw actionFault('Enter a date with a time in UTC.')
  return { set: at.toISOString() }
}

const forged = z.object({
  genuine: z.string(),
  forgeries: z.array(
    z.object({ name: z.string(), reason: z.string(), section: z.string(), token: z.string() }),
  ),
})

const apiForm = (request: AdministratorRequest, attempt?: Attempt, api = '') =>
  html`<p>This form creates hostile tokens for an API. A correct API must refuse each of them. The guard checks all of them here.</p>
${form(
  request,
  forgeriesPath,
  html`${field({ name: 'api', label: 'API: name, URI or application ID', value: api, required: true, maxLength: 256 }, attempt)}<button>Create the tokens</button>`,
)}`

const showForgeries: ShowTab = async (_lab, request, _context, attempt) => apiForm(request, attempt)

const forge: ActionRow['run'] = async (request, sent) => {
  const api = await findPrincipal(request, (sent.get('api') ?? '').trim())
  const forging = { method: 'POST', path: '/forgeries', body: { api: api.appId } } as const
  const { genuine, forgeries } = forged.parse((await labOf(request).send(forging)).body)
  const tokens = [genuine, ...forgeries.map(({ token }) => token)]
  const { roles, reasonOf } = guardOf(request, api)
  const [genuineReason, ...reasons] = await Promise.all(
    tokens.map((one) => reasonOf(one, roles[0])),
  )
  const refused = reasons.filter((one) => one !== undefined).length
  const verdict = (reason: string | undefined) =>
    mark(reason === undefined ? 'bad' : 'good', reason ?? 'admitted')
  const made = html`${apiForm(request, undefined, api.displayName)}
<h2>Tokens for ${api.displayName}</h2>
<p class="${refused === forgeries.length && genuineReason === undefined ? 'done' : 'problem'}">The guard refuses ${refused} of ${forgeries.length} hostile tokens, and ${genuineReason === undefined ? 'admits the genuine one' : `refuses the genuine one: ${genuineReason}`}.</p>
${table(
  'Hostile tokens',
  ['Token', 'Why an API must refuse it', 'Verdict of the guard', 'Section', 'Value'],
  forgeries.map(({ name, reason, section, token }, index) => [
    html`<code>${name}</code>`,
    reason.replaceAll('`', ''),
    verdict(reasons[index]),
    section,
    html`<details><summary>Show</summary>${copyable(token)}</details>`,
  ]),
  '',
)}`
  return tabPage(request, 'Forgeries', made)
}

const maxShownRequests = 100

const labRequest = z.object({
  id: z.number(),
  at: z.iso.datetime().transform((text) => new Date(text)),
  endpoint: z.string(),
  method: z.string(),
  path: z.string(),
  clientId: z.string().optional(),
  status: z.number(),
  error: z.string().optional(),
  errorCodes: z.array(z.number()),
  fault: z.string().optional(),
  startedMs: z.number(),
  endedMs: z.number(),
})
const misuse = z.object({ rule: z.string(), summary: z.string(), requests: z.array(labRequest) })

const showRequests: ShowTab = async (lab, request) => {
  const [requests, misuses] = await Promise.all([
    lab.list('/requests', labRequest),
    lab.list('/misuses', misuse),
  ])
  const latest = requests.toReversed().slice(0, maxShownRequests)
  const names = await applicationNames(
    request,
    latest.flatMap(({ clientId }) => clientId ?? []),
  )
  const rules = [...Map.groupBy(misuses, ({ rule }) => rule)]
  return html`<p>The latest requests to the endpoints, without secrets: ${latest.length} of ${requests.length}.</p>
<p data-follow hidden><label><input type="checkbox" role="switch"> Follow</label></p>
<div data-followed><h2>What clients did wrong</h2>
${table(
  'Misuses',
  ['Rule', 'Meaning', 'Times', 'Requests'],
  rules.map(([rule, found]) => [
    html`<code>${rule}</code>`,
    (found[0]?.summary ?? '').replaceAll('`', ''),
    String(found.length),
    found
      .flatMap((one) => one.requests.map(({ id }) => id))
      .slice(-10)
      .join(', '),
  ]),
  'No client did anything wrong.',
)}
<h2>Requests</h2>
${table(
  'Requests',
  ['Number', 'Time', 'Request', 'Client', 'Response', 'Fault', 'Duration'],
  latest.map((one) => [
    String(one.id),
    time(one.at, request.now),
    html`<small><code>${one.method} ${one.path}</code></small>`,
    names.get(one.clientId ?? '') ?? one.clientId ?? '',
    html`${mark(one.status >= 400 || one.status === 0 ? 'bad' : 'good', one.status === 0 ? 'connection reset' : String(one.status))} ${[one.error ?? '', ...one.errorCodes.map((code) => `AADSTS${code}`)].join(' ')}`,
    one.fault ?? '',
    `${Math.round(one.endedMs - one.startedMs)} ms`,
  ]),
  'No request has arrived yet.',
)}</div>
${requests.length > 0 && buttonForm(request, `${requestsPath}/clear`, 'Clear the requests')}`
}

/** The tabs of the lab in their order. */
const labTabs: readonly {
  readonly name: string
  readonly path: string
  readonly show: ShowTab
  /** The request of each form, by what the path of the form has after the path of the tab. */
  readonly forms?: Readonly<Record<string, (sent: Form) => GraphRequest>>
  /** The form at the path of the tab. It shows its result. */
  readonly run?: typeof forge
}[] = [
  {
    name: 'Faults',
    path: faultsPath,
    show: showFaults,
    forms: {
      '/arm': (sent) => ({ method: 'POST', path: '/faults', body: faultOf(sent) }),
      '/remove': (sent) => ({
        method: 'DELETE',
        path: `/faults/${encodeURIComponent(sent.get('id') ?? '')}`,
      }),
      '/clear': () => ({ method: 'DELETE', path: '/faults' }),
    },
  },
  {
    name: 'Clock',
    path: clockPath,
    show: showClock,
    forms: { '': (sent) => ({ method: 'POST', path: '/clock', body: clockChangeOf(sent) }) },
  },
  { name: 'Forgeries', path: forgeriesPath, show: showForgeries, run: forge },
  {
    name: 'Requests',
    path: requestsPath,
    show: showRequests,
    forms: { '/clear': () => ({ method: 'DELETE', path: '/requests' }) },
  },
]

const tabPage = (request: AdministratorRequest, tab: string, content: Html, attempt?: Attempt) =>
  page(request, {
    title: 'Lab',
    attempt,
    content: html`<p class="note warn">This server makes forged tokens and faults. Never use it in production.</p>
${linkList('Lab', 'tabs', labTabs, tab)}${content}`,
  })

function labOf({ lab }: AdministratorRequest): InProcessGraph {
  if (lab === undefined) throw actionFault('The lab is off.')
  return lab
}

/** The pages of the lab. Without a lab, they do not exist. */
export const labPages: readonly PageRow[] = labTabs.map(
  ({ name, path, show, forms = {}, run }) => ({
    path,
    section: 'Lab',
    show: async (request, context, attempt) =>
      request.lab === undefined
        ? plainPage('Not found', 'The lab is off. The setting LAB=on turns it on.', 404, request)
        : tabPage(request, name, await show(request.lab, request, context, attempt), attempt),
    actions: [
      ...Object.entries(forms).map(
        ([suffix, requestOf]): ActionRow => ({
          suffix,
          changesNothing: true,
          run: async (request, sent) => {
            await labOf(request).send(requestOf(sent))
            return path
          },
        }),
      ),
      ...(run ? [{ changesNothing: true, run } as const] : []),
    ],
  }),
)
