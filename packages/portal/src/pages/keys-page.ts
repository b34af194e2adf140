import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { type KeyView, keyState } from '../graph/key-view.ts'
import { buttonForm, form, problem } from '../layout/form.ts'
import { keyTimeline } from '../layout/key-timeline.ts'
import { page } from '../layout/page.ts'
import { mark, table, time } from '../layout/parts.ts'
import type { ActionRow, PageRow } from './page-row.ts'

const path = '/portal/keys'

const phases: Readonly<Record<string, string>> = {
  announced: 'published, does not sign yet',
  active: 'published, signs',
  retired: 'published, no longer signs',
}

const show: PageRow['show'] = async (visit, _context, attempt) => {
  const states = await visit.management.list('/keys', keyState)
  return page(visit, {
    title: 'Signing keys',
    section: 'Keys',
    status: attempt?.status ?? 200,
    content: html`${problem(attempt)}
${keyTimeline(states, visit.now)}
${table(
  'Signing keys',
  ['Key ID', 'Phase', 'Announced', 'Signs from', 'Phase ends', 'Change'],
  states.map((one) => [
    html`<code>${one.kid}</code>`,
    html`${mark(one.phase === 'active' ? 'good' : 'plain', one.phase)} <small>${phases[one.phase] ?? ''}</small>`,
    time(one.announcedDateTime, visit.now),
    time(one.signsFromDateTime, visit.now),
    time(one.untilDateTime, visit.now, 'no end planned'),
    html`<a href="${path}/${encodeURIComponent(one.kid)}/revoke">Revoke…</a>`,
  ]),
  'There is no signing key.',
)}
<h2>Rotate</h2>
<p>The announced key signs at once, or after the shortest time in which APIs read it. Tokens of the old key stay valid until they end. No client needs a change.</p>
${buttonForm(visit, `${path}/rotate`, 'Rotate now')}`,
  })
}

/** Says what a revocation breaks, and asks. */
const askRevocation: PageRow['show'] = async (visit, { req }, attempt) => {
  const kid = req.param('kid') ?? ''
  const states = await visit.management.list('/keys', keyState)
  const key = states.find((one) => one.kid === kid)
  return page(visit, {
    title: 'Revoke a signing key',
    section: 'Keys',
    trail: [{ name: 'Signing keys', path }],
    status: attempt?.status ?? (key ? 200 : 404),
    content: key
      ? html`${problem(attempt)}<p><code>${kid}</code> ${mark('plain', key.phase)}</p>${consequence(visit, key)}
${form(visit, `${path}/${encodeURIComponent(kid)}/revoke`, html`<button class="danger">Revoke the key</button>`)}
<p><a href="${path}">Keep the key</a></p>`
      : html`<p class="empty">No signing key has this ID.</p>`,
  })
}

function consequence({ host, now }: AdministratorRequest, { phase }: KeyView) {
  if (phase === 'announced') {
    return html`<p>It has signed no token yet. A new key is announced in its place.</p>`
  }
  const { longestTokenSeconds: longestSeconds } = host
  const until = new Date(now.getTime() + longestSeconds * 1000)
  return html`<p class="note">Every token that it signed fails at once where an API reads the key set again, at the latest ${time(until, now)}. Each client gets 401 until it requests a new token. Another key signs new tokens immediately.</p>`
}

export const keysPages: readonly PageRow[] = [
  { path, show },
  { path: `${path}/:kid/revoke`, show: askRevocation },
]

export const keysActions: readonly ActionRow[] = [
  {
    path: `${path}/rotate`,
    show,
    run: async ({ management }) => {
      await management.send({ method: 'POST', path: '/keys/rotate' })
      return path
    },
  },
  {
    path: `${path}/:kid/revoke`,
    show: askRevocation,
    run: async ({ management }, _sent, { req }) => {
      const kid = encodeURIComponent(req.param('kid') ?? '')
      await management.send({ method: 'POST', path: `/keys/${kid}/revoke` })
      return path
    },
  },
]
