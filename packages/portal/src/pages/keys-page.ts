import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { type KeyView, keyState } from '../graph/management-views.ts'
import { buttonForm, form } from '../layout/form.ts'
import { page } from '../layout/page.ts'
import type { ActionRow, PageRow } from '../layout/page-row.ts'
import { type Html, mark, table, time } from '../layout/parts.ts'

const width = 1000
const rowHeight = 34
const dayMs = 86_400_000

/** The life of each key as bars on one scale: published, and signing. Attributes replace inline styles. */
function keyTimeline(states: readonly KeyView[], now: Date): Html {
  if (states.length === 0) return ''
  const rows = states.map((one, index) => ({
    kid: one.kid,
    from: one.announcedDateTime,
    signsFrom: one.signsFromDateTime,
    signsUntil: states[index + 1]?.signsFromDateTime,
    until: one.phase === 'retired' ? (one.untilDateTime ?? undefined) : undefined,
  }))
  const known = rows.flatMap(({ from, signsFrom, signsUntil, until }) =>
    [from, signsFrom, signsUntil, until].flatMap((at) => at?.getTime() ?? []),
  )
  const start = Math.min(...known, now.getTime())
  const end = Math.max(...known, now.getTime()) + 14 * dayMs
  const x = (at: Date | undefined) =>
    Math.round((((at?.getTime() ?? end) - start) / (end - start)) * width)
  const bar = (name: string, from: Date, to: Date | undefined, index: number) =>
    html`<rect class="${name}" x="${x(from)}" y="${index * rowHeight + 18}" width="${Math.max(3, x(to) - x(from))}" height="12" rx="3"></rect>`
  const height = rows.length * rowHeight + 8
  return html`<figure class="timeline"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="The life of each signing key. The table below has the times.">
${rows.map(
  ({ kid, from, signsFrom, signsUntil, until }, index) =>
    html`<text x="${Math.min(x(from), width - 330)}" y="${index * rowHeight + 13}">${kid.slice(0, 24)}…</text>${bar('published', from, until, index)}${bar('signs', signsFrom, signsUntil, index)}`,
)}
<line x1="${x(now)}" x2="${x(now)}" y1="0" y2="${height}"></line></svg>
<figcaption><span class="published">published</span> <span class="signs">signs</span> <span>now</span></figcaption></figure>`
}

const path = '/portal/keys'

const phases: Readonly<Record<string, string>> = {
  announced: 'published, does not sign yet',
  active: 'published, signs',
  retired: 'published, no longer signs',
}

const show: PageRow['show'] = async (request, _context, attempt) => {
  const states = await request.management.list('/keys', keyState)
  return page(request, {
    title: 'Signing keys',
    attempt,
    content: html`${keyTimeline(states, request.now)}
${table(
  'Signing keys',
  ['Key ID', 'Phase', 'Announced', 'Signs from', 'Phase ends', 'Change'],
  states.map((one) => [
    html`<code>${one.kid}</code>`,
    html`${mark(one.phase === 'active' ? 'good' : 'plain', one.phase)} <small>${phases[one.phase] ?? ''}</small>`,
    time(one.announcedDateTime, request.now),
    time(one.signsFromDateTime, request.now),
    time(one.untilDateTime, request.now, 'no end planned'),
    html`<a href="${path}/${encodeURIComponent(one.kid)}/revoke">Revoke…<span class="read"> ${one.kid}</span></a>`,
  ]),
  'There is no signing key.',
)}
<h2>Rotate</h2>
<p>The announced key begins to sign at once, or as soon as every API can have read it. Tokens that the old key signed stay valid until they expire. Clients need no change.</p>
${buttonForm(request, `${path}/rotate`, 'Rotate now')}`,
  })
}

/** Says what a revocation breaks, and asks. */
const askRevocation: PageRow['show'] = async (request, { req }, attempt) => {
  const kid = req.param('kid') ?? ''
  const states = await request.management.list('/keys', keyState)
  const key = states.find((one) => one.kid === kid)
  return page(request, {
    title: 'Revoke a signing key',
    trail: [{ name: 'Signing keys', path }],
    attempt,
    ...(key ? {} : { status: 404 }),
    content: key
      ? html`<p><code>${kid}</code> ${mark('plain', key.phase)}</p>${consequence(request, key)}
${form(request, `${path}/${encodeURIComponent(kid)}/revoke`, html`<button class="danger">Revoke the key</button>`)}
<p><a href="${path}">Keep the key</a></p>`
      : html`<p class="empty">No signing key has this ID.</p>`,
  })
}

function consequence({ host, now }: AdministratorRequest, { phase }: KeyView) {
  if (phase === 'announced')
    return html`<p>This key has signed no token yet. A new key is announced in its place.</p>`
  const until = new Date(now.getTime() + host.longestTokenSeconds * 1000)
  return html`<p class="note warn">An API refuses every token that this key signed as soon as it reads the key set again, at the latest ${time(until, now)}. Each client gets 401 until it requests a new token. Another key signs new tokens immediately.</p>`
}

/** A form that changes the keys, by an operation on all of them or on one. */
const changeKeys =
  (operation: 'rotate' | 'revoke'): ActionRow['run'] =>
  async ({ management }, _sent, { req }) => {
    const kid = req.param('kid')
    const key = kid === undefined ? '' : `${encodeURIComponent(kid)}/`
    await management.send({ method: 'POST', path: `/keys/${key}${operation}` })
    return path
  }

export const keysPages: readonly PageRow[] = [
  { path, section: 'Keys', show, actions: [{ suffix: '/rotate', run: changeKeys('rotate') }] },
  {
    path: `${path}/:kid/revoke`,
    section: 'Keys',
    show: askRevocation,
    actions: [{ run: changeKeys('revoke') }],
  },
]
