import { html } from 'hono/html'
import { z } from 'zod'
import { actionFault } from '../../graph/administrator-request.ts'
import { buttonForm, field, form } from '../../layout/form.ts'
import { facts, mark } from '../../layout/parts.ts'
import type { ActionRow, PageRow } from '../page-row.ts'
import { labAction, labPaths, labTab } from './lab-page.ts'

const path = labPaths.Clock
const clock = z.object({ now: z.string(), isFrozen: z.boolean(), offsetMs: z.number() })

const steps = [
  { label: 'One minute', seconds: 60 },
  { label: 'One hour', seconds: 3600 },
  { label: 'One day', seconds: 86_400 },
  { label: '30 days', seconds: 2_592_000 },
] as const

const show = labTab('Clock', async (lab, visit, _context, attempt) => {
  const { now, isFrozen, offsetMs } = await lab.get('/clock', clock)
  return html`<p>Tokens, secrets, keys, logs and your session follow this clock. Your session ends at <code>${visit.session.expiresAt.toISOString()}</code>. After the end of your secret, nothing can sign in until the server restarts.</p>
${facts([
  ['Time', html`<code>${now}</code>`],
  [
    'State',
    html`${isFrozen ? mark('warn', 'frozen') : mark('good', 'running')} ${buttonForm(visit, path, isFrozen ? 'Let it run' : 'Freeze', { freeze: String(!isFrozen) })}`,
  ],
  ['Difference to the system', `${Math.round(offsetMs / 1000)} seconds`],
])}
<h2>Advance</h2>
<div class="buttons">${steps.map(({ label, seconds }) => buttonForm(visit, path, label, { advance: String(seconds) }))}</div>
<h2>Set</h2>
${form(
  visit,
  path,
  html`${field({ name: 'set', label: 'Time in UTC', value: now, required: true, maxLength: 40, help: 'For example 2030-01-01T00:00:00Z.' }, attempt)}<button>Set</button>`,
)}
${buttonForm(visit, path, 'Use the clock of the system', { reset: 'true' })}`
})

/** The field of a form as the request of the API. */
function changeOf(sent: ReadonlyMap<string, string>): object {
  if (sent.has('reset')) return { reset: true }
  if (sent.has('freeze')) return { freeze: sent.get('freeze') === 'true' }
  if (sent.has('advance')) return { advanceSeconds: Number(sent.get('advance')) }
  const at = new Date((sent.get('set') ?? '').trim())
  if (Number.isNaN(at.getTime())) throw actionFault('The time is not a date with a time in UTC.')
  return { set: at.toISOString() }
}

export const clockPages: readonly PageRow[] = [{ path, show }]

export const clockActions: readonly ActionRow[] = [
  {
    path,
    show,
    changesNothing: true,
    run: labAction(path, (lab, sent) =>
      lab.send({ method: 'POST', path: '/clock', body: changeOf(sent) }),
    ),
  },
]
