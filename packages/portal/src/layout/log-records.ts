import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import type { AuditHourView, AuditView } from '../graph/management-views.ts'
import type { NamesInRecords } from '../graph/names.ts'
import { applicationPath } from './application-page.ts'
import { capitalized, type Html, mark, table, time } from './parts.ts'
import { remedyOf } from './refusals.ts'

export const logsPath = '/portal/logs'

/** The names of the logs in the management API, by those in the paths of pages. */
export const logs = { 'sign-ins': 'signIns', directory: 'directory' } as const
export type LogName = keyof typeof logs
export const logOf = (text: string | undefined): LogName =>
  text === 'directory' ? 'directory' : 'sign-ins'

const signIns: Readonly<Record<string, string>> = {
  'token.issue': 'Token request',
  'portal.signIn': 'Sign-in to the portal',
  'portal.confirm': 'Confirmation in the portal',
}

/** An action or a reason in words: `Application: add password` for `application.addPassword`. */
export function inWords(code: string): string {
  const known = Object.hasOwn(signIns, code) && signIns[code]
  if (known) return known
  const words = code.replace('.', ': ').replaceAll('_', ' ')
  return capitalized(words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
}

/** The name of an actor or a target with a link to it; the start of an ID without a name. */
export function party(id: string | null, names: NamesInRecords): Html {
  const found = id === null ? undefined : names.get(id)
  if (found)
    return html`<a href="${applicationPath(found.appId)}"><bdi>${found.displayName}</bdi></a>`
  const isLong = id !== null && id.length > 12
  return isLong ? html`<code title="${id}">${id.slice(0, 8)}…</code>` : (id ?? '')
}

/** The target of an action. An application can change itself, as with its own keys. */
export function targetOf({ action, actor, target }: AuditView, names: NamesInRecords): Html {
  if (target === null) return ''
  const isOwn = !Object.hasOwn(signIns, action) && names.get(target)?.appId === actor
  return html` ${isOwn ? mark('plain', 'by itself') : html`<span aria-hidden="true">→</span> ${party(target, names)}`}`
}

/** One line for each record. The time leads to the whole record. */
export const recordTable = (
  request: AdministratorRequest,
  records: readonly (AuditView & { readonly log: LogName })[],
  names: NamesInRecords,
  none: string,
) =>
  html`<div class="log">${table(
    'Records',
    ['Time', 'Result', 'Action', 'Who'],
    records.map((record) => [
      html`<a href="${logsPath}/${record.log}/${record.id}">${time(record.at, request.now)}</a>`,
      html`${mark(record.outcome === 'done' ? 'good' : 'bad', record.outcome)}${record.reason && html` ${inWords(record.reason)}. <small>${remedyOf(record.reason, request)}</small>`}`,
      inWords(record.action),
      html`${party(record.actor, names)}${record.blueprintId && html` (agent of ${party(record.blueprintId, names)})`}${targetOf(record, names)}`,
    ]),
    none,
  )}</div>`

const barWidth = 10
const height = 48

/** The last day as a picture: the records of each hour. Each hour leads to its records. */
export function timeline(
  hours: readonly AuditHourView[],
  pathOf: (from: string, to: string) => string,
) {
  const most = Math.max(1, ...hours.map(({ done, refused }) => done + refused))
  const high = (count: number) => (count === 0 ? 0 : Math.max(1, (count / most) * height))
  const sum = (kind: 'done' | 'refused') => hours.reduce((total, one) => total + one[kind], 0)
  const bars = hours.map(({ from, done, refused }, index) => {
    const to = new Date(from.getTime() + 3_600_000).toISOString()
    const bar = (kind: string, top: number, size: number) =>
      html`<rect class="${kind}" x="${index * barWidth + 1}" y="${height - top}" width="${barWidth - 2}" height="${size}"/>`
    const label = `${from.toISOString().slice(11, 16)} UTC: ${done} accepted, ${refused} refused`
    return html`<a href="${pathOf(from.toISOString(), to)}" tabindex="-1" aria-label="${label}"><title>${label}</title>
${bar('published', height, height)}${bar('signs', high(done), high(done))}${bar('refused', high(done) + high(refused), high(refused))}</a>`
  })
  return html`<figure class="timeline"><svg viewBox="0 0 ${hours.length * barWidth} ${height}" width="100%" height="${height}" preserveAspectRatio="none">${bars}</svg>
<figcaption>Last ${hours.length} hours, in UTC: <span class="signs">${sum('done')} accepted</span><span class="refused">${sum('refused')} refused</span></figcaption></figure>`
}
