import { posix } from 'node:path'
import { type SitePage, slugOf } from './site-pages.ts'

/** An entry of the sidebar, as Starlight takes it. */
export type SidebarEntry =
  | { readonly label: string; readonly slug: string }
  | {
      readonly label: string
      readonly collapsed?: boolean
      readonly items: readonly SidebarEntry[]
    }

/**
 * Creates the sidebar from `docs/README.md`: a group for each heading, and an entry for each page
 * that its list links. The groups for daily work are open.
 *
 * A page that only another page links stands at the end of the group of its folder.
 *
 * @throws {Error} a page belongs to no group
 */
export function sidebarOf(contents: string, pages: readonly SitePage[]): SidebarEntry[] {
  const unlisted = new Map(pages.map((page) => [page.slug, page]))
  const groups = contents.split(/^###? /m).slice(1)
  const entries = groups.map((group) => {
    const [label = ''] = group.split('\n')
    const list = (group.match(/^(- | {2}).*$/gm) ?? []).join('\n')
    const items = [...list.matchAll(/\]\(([^)#\s]+)/g)].flatMap(([, target = '']) => {
      const slug = slugOf(posix.join('docs', target))
      const page = unlisted.get(slug)
      unlisted.delete(slug)
      return page === undefined ? [] : [{ label: page.title, slug }]
    })
    return { label, items }
  })
  for (const { slug, title } of unlisted.values()) {
    const folder = slug.split('/')[0]
    const group = entries.find(({ label }) => label.toLowerCase() === folder)
    if (group === undefined) throw new Error(`docs/README.md has no group for ${slug}`)
    group.items.push({ label: title, slug })
  }
  return entries
    .filter(({ items }) => items.length > 0)
    .map(({ label, items }, index) => ({ label, collapsed: index > 4, items }))
}
