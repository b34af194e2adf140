import type { SidebarEntry } from './sidebar.ts'
import { addressBetween, pageOf, type SitePage, type SiteSource } from './site-pages.ts'

/** The groups of guides, with those that have a door. */
const groups: Readonly<Record<string, boolean>> = {
  Test: true,
  Protect: true,
  Call: false,
  Run: true,
}

const links = (entries: readonly SidebarEntry[]) =>
  entries.flatMap((entry) =>
    'slug' in entry
      ? [`<a href="${addressBetween('', entry.slug)}">${entry.label.replaceAll('&', '&amp;')}</a>`]
      : [],
  )

/**
 * Creates the front page: a sentence, a picture, three doors, the measured comparison, and the guides.
 *
 * @param contents `docs/README.md`, which has the sentences and the comparison
 * @param readme `README.md`, which has the picture
 * @throws {Error} one of the documents lacks its part
 */
export function frontPage(
  contents: string,
  readme: string,
  sidebar: readonly SidebarEntry[],
  source: SiteSource,
): SitePage {
  const part = (pattern: RegExp, text = contents) => {
    const [, found] = pattern.exec(text) ?? []
    if (found === undefined) throw new Error(`The front page needs ${pattern}`)
    return found
  }
  const doors = Object.keys(groups)
    .filter((name) => groups[name])
    .map(
      (name) =>
        `<div>\n\n**${name}**\n\n${part(new RegExp(`^### ${name}\n\n- (.*)$`, 'm'))}\n\n</div>`,
    )
  const guides = sidebar.flatMap((entry) =>
    'items' in entry && entry.label in groups
      ? [
          `<div>\n\n### ${entry.label}\n\n<ul>${links(entry.items)
            .map((link) => `<li>${link}</li>`)
            .join('')}</ul>\n\n</div>`,
        ]
      : [],
  )
  const body = `![${part(/^!\[(.*\]\()docs\/.*$/m, readme)}${part(/^!\[.*\]\(docs\/(.*)$/m, readme)}

<div class="doors">
${doors.join('\n')}
</div>

## How it works

${part(/^(!\[.*\]\(pictures\/.*)$/m)}

## Choose

${part(/^(These servers were run.*?)(?=\n\n(?!\|))/ms)}

<a href="contents/#choose">When to choose another, and what was not run</a>

## Guides

<div class="guides">
${guides.join('\n')}
</div>

## Look up

${links(sidebar).join(' · ')}`
  // The sentences are of the contents, so their links are too.
  const slugs = new Map([...source.slugs, ['docs/README.md', '']])
  return {
    ...pageOf('docs/README.md', { ...source, slugs }, body),
    title: 'Greeting',
    look: { template: 'splash', hero: { tagline: part(/^# .*\n\n(.*)$/m) } },
  }
}
