import { html } from 'hono/html'

/** A part of a page. `html` escapes every value within it. */
export type Html = ReturnType<typeof html> | string | readonly Html[]

/** A value that people copy. Script adds the button. */
export const copyable = (text: string) => html`<code class="copyable">${text}</code>`

/** Lines that people copy. */
export const snippet = (text: string, label: string) =>
  html`<pre tabindex="0" role="region" aria-label="${label}" class="copyable"><code>${text}</code></pre>`

/** A name with its value; nothing if the value is absent. */
export type Fact = readonly [name: string, value: Html] | false | undefined

export const facts = (rows: readonly Fact[]) =>
  html`<dl>${rows.map((row) => row && html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`)}</dl>`

/** The name of an object in a sentence, in any direction of writing. */
export const named = (name: string) => html`“<bdi>${name}</bdi>”`

/** A text that begins with a capital letter, as a sentence does. */
export const capitalized = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** The sentence in the place of what does not exist yet. */
export const empty = (text: Html) => html`<p class="empty">${text}</p>`

/** A column of a table, with the link that sorts by it. */
type Sorting = Link & { readonly sorted: string }

/** A table whose rows become blocks with labels on a narrow screen; a sentence when it has none. */
export function table(
  label: string,
  columns: readonly (string | Sorting)[],
  rows: readonly (readonly Html[])[],
  none: Html,
) {
  if (rows.length === 0) return empty(none)
  const names = columns.map((one) => (typeof one === 'string' ? one : one.name))
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table aria-label="${label}">
<thead><tr>${columns.map((one) =>
    typeof one === 'string'
      ? html`<th scope="col" data-label="${one}">${one}</th>`
      : html`<th scope="col" aria-sort="${one.sorted}"><a href="${one.path}">${one.name}</a></th>`,
  )}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, index) => (index === 0 ? html`<th scope="row">${cell}</th>` : html`<td data-label="${names[index] ?? ''}">${cell}</td>`))}</tr>`,
  )}</tbody>
</table></div>`
}

/** A short state, in words and with a colour. */
export const mark = (kind: 'good' | 'bad' | 'warn' | 'plain', text: string) =>
  html`<span class="mark ${kind}">${text}</span>`

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const units = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const

/** The distance of a time in words, such as `in 3 days`. */
function distance(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const { unit, seconds: size } = units.find((one) => Math.abs(seconds) >= one.seconds) ?? units[3]
  return words.format(Math.trunc(seconds / size), unit)
}

/** A time in words, with the exact time. Script keeps the words current. */
export const time = (at: Date | null | undefined, now: Date, none = 'never') =>
  at == null
    ? none
    : html`<time datetime="${at.toISOString()}" title="${at.toISOString()}">${distance(at, now)}</time>`

export type Link = { readonly name: string; readonly path: string }

/** Links, of which the current one is marked. */
export const linkList = (
  label: string,
  kind: '' | 'tabs' | 'trail',
  links: readonly Link[],
  current?: string,
  here = 'page',
) =>
  html`<nav aria-label="${label}" class="${kind}"><ul>${links.map(
    ({ name, path }) =>
      html`<li><a href="${path}"${name === current ? html` aria-current="${here}"` : ''}>${name}</a></li>`,
  )}</ul></nav>`

/** The query of Microsoft Graph for one page. */
export const pageQuery = (
  size: number,
  after: string | undefined,
  more: Readonly<Record<string, string>> = {},
) => new URLSearchParams({ $top: String(size), ...more, ...(after && { $skiptoken: after }) })

/** A link to the page that begins at the `@odata.nextLink` of Microsoft Graph. */
export function nextPageLink(
  path: string,
  nextLink: string | undefined,
  query: Readonly<Record<string, string>> = {},
) {
  const after = nextLink && new URL(nextLink).searchParams.get('$skiptoken')
  const target = new URLSearchParams({ ...query, ...(after && { after }) })
  return after && html`<p><a href="${path}?${target.toString()}" rel="next">Next page</a></p>`
}
