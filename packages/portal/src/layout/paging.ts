import { html } from 'hono/html'

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
