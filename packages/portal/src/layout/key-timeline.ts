import { html } from 'hono/html'
import type { KeyView } from '../graph/key-view.ts'
import type { Html } from './html.ts'

const width = 1000
const rowHeight = 34
const dayMs = 86_400_000

/** The life of each key as bars on one scale: published, and signing. Attributes replace inline styles. */
export function keyTimeline(states: readonly KeyView[], now: Date): Html {
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
<line class="now" x1="${x(now)}" x2="${x(now)}" y1="0" y2="${height}"></line></svg>
<figcaption><span class="key-published">published</span> <span class="key-signs">signs</span> <span class="key-now">now</span></figcaption></figure>`
}
