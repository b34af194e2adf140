import { html } from 'hono/html'

/** Links to the parts of a page. */
export const tabs = (
  label: string,
  links: readonly { readonly name: string; readonly path: string }[],
  current: string,
) =>
  html`<nav aria-label="${label}" class="tabs"><ul>${links.map(
    ({ name, path }) =>
      html`<li><a href="${path}"${name === current ? html` aria-current="page"` : ''}>${name}</a></li>`,
  )}</ul></nav>`
