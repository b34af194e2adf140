import { html } from 'hono/html'
import { z } from 'zod'
import { applicationNames } from '../../graph/application-names.ts'
import { buttonForm } from '../../layout/form.ts'
import { mark, table, time } from '../../layout/parts.ts'
import type { ActionRow, PageRow } from '../page-row.ts'
import { labAction, labPaths, labTab } from './lab-page.ts'

const path = labPaths.Requests
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

const show = labTab('Requests', async (lab, visit) => {
  const [requests, misuses] = await Promise.all([
    lab.list('/requests', labRequest),
    lab.list('/misuses', misuse),
  ])
  const latest = requests.toReversed().slice(0, maxShownRequests)
  const names = await applicationNames(
    visit,
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
  'Nothing.',
)}
<h2>Requests</h2>
${table(
  'Requests',
  ['Number', 'Time', 'Request', 'Client', 'Answer', 'Fault', 'Duration'],
  latest.map((one) => [
    String(one.id),
    time(one.at, visit.now),
    html`<small><code>${one.method} ${one.path}</code></small>`,
    names.get(one.clientId ?? '') ?? one.clientId ?? '',
    html`${mark(one.status >= 400 || one.status === 0 ? 'bad' : 'good', one.status === 0 ? 'connection reset' : String(one.status))} ${[one.error ?? '', ...one.errorCodes.map((code) => `AADSTS${code}`)].join(' ')}`,
    one.fault ?? '',
    `${Math.round(one.endedMs - one.startedMs)} ms`,
  ]),
  'No request has come yet.',
)}</div>
${requests.length > 0 && buttonForm(visit, `${path}/clear`, 'Forget the requests')}`
})

export const requestsPages: readonly PageRow[] = [{ path, show }]

export const requestsActions: readonly ActionRow[] = [
  {
    path: `${path}/clear`,
    show,
    changesNothing: true,
    run: labAction(path, (lab) => lab.send({ method: 'DELETE', path: '/requests' })),
  },
]
