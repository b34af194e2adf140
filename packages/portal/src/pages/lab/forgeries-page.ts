import { html } from 'hono/html'
import { z } from 'zod'
import type { AdministratorRequest } from '../../graph/administrator-request.ts'
import { actionFault } from '../../graph/administrator-request.ts'
import { findPrincipal } from '../../graph/find-principal.ts'
import { judgedApi, refusalReasons } from '../../graph/token-judge.ts'
import { type Attempt, field, form } from '../../layout/form.ts'
import { copyable, mark, table } from '../../layout/parts.ts'
import type { ActionRow, PageRow } from '../page-row.ts'
import { labPage, labPaths, labTab } from './lab-page.ts'

const path = labPaths.Forgeries

const forged = z.object({
  genuine: z.string(),
  forgeries: z.array(
    z.object({ name: z.string(), reason: z.string(), section: z.string(), token: z.string() }),
  ),
})

const apiForm = (visit: AdministratorRequest, attempt?: Attempt, api = '') =>
  html`<p>Makes hostile tokens for an API. Each is a token that a correct API must refuse. The guard judges all of them here.</p>
${form(
  visit,
  path,
  html`${field({ name: 'api', label: 'API: name, URI or application ID', value: api, required: true, maxLength: 256 }, attempt)}<button>Make the tokens</button>`,
)}`

const show = labTab('Forgeries', async (_lab, visit, _context, attempt) => apiForm(visit, attempt))

const forge: ActionRow['run'] = async (visit, sent) => {
  const { lab } = visit
  if (lab === undefined) throw actionFault('The lab is off.')
  const api = await findPrincipal(visit, (sent.get('api') ?? '').trim())
  const request = { method: 'POST', path: '/forgeries', body: { api: api.appId } } as const
  const { genuine, forgeries } = forged.parse((await lab.send(request)).body)
  const tokens = [genuine, ...forgeries.map(({ token }) => token)]
  const [genuineReason, ...reasons] = await refusalReasons(visit, judgedApi(api), tokens)
  const refused = reasons.filter((one) => one !== undefined).length
  const verdict = (reason: string | undefined) =>
    mark(reason === undefined ? 'bad' : 'good', reason ?? 'admitted')
  return labPage(
    visit,
    'Forgeries',
    html`${apiForm(visit, undefined, api.displayName)}
<h2>Tokens for ${api.displayName}</h2>
<p class="answer">The guard refuses ${refused} of ${forgeries.length} hostile tokens, and ${genuineReason === undefined ? 'admits the genuine one' : `refuses the genuine one: ${genuineReason}`}.</p>
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
)}`,
  )
}

export const forgeriesPages: readonly PageRow[] = [{ path, show }]
export const forgeriesActions: readonly ActionRow[] = [
  { path, show, run: forge, changesNothing: true },
]
