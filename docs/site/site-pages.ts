import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'

/** A page of the site. */
export type SitePage = {
  /** Its path below the base, without slashes around it. The front page has an empty one. */
  readonly slug: string
  readonly title: string
  readonly description?: string
  /** Markdown without the title. */
  readonly body: string
  /** Other members of the front matter, as Starlight takes them. */
  readonly look?: Readonly<Record<string, unknown>>
}

/** The files that the pages are made of. */
export type SiteSource = {
  /** The folder of the repository. */
  readonly root: string
  /** The Markdown files that are pages, from the root, with the slug of each. */
  readonly slugs: ReadonlyMap<string, string>
  /** The address of the repository, without a slash at its end. */
  readonly repositoryUrl: string
}

/** The slug of a file: `guides/clients` of `docs/guides/clients/README.md`, `examples/go` of a program in `examples/ci/go`. */
export const slugOf = (file: string): string =>
  file === 'docs/README.md'
    ? 'contents'
    : file
        .replace(/^examples\/[\w-]+\/([\w-]+)\/.*/, 'examples/$1')
        .replace(/^docs\/|(\/README)?\.md$/g, '')

/** The relative address of a page, which works below each base. */
export const addressBetween = (from: string, to: string): string =>
  `${posix.relative(`/${from}`, `/${to}`) || '.'}/`

/**
 * Rewrites a link of a file for the page of that file.
 *
 * Links to other pages stay on the site. Links to other files of the repository lead to its host.
 *
 * @throws {Error} the file does not exist
 */
export function siteLink(target: string, file: string, source: SiteSource): string {
  if (/^([a-z]+:|#|\/\/)/i.test(target)) return target
  const [path = '', fragment] = target.split('#')
  const linked = posix.normalize(posix.join(posix.dirname(file), decodeURI(path)))
  const absolute = join(source.root, linked)
  if (linked.startsWith('..') || !existsSync(absolute))
    throw new Error(`${file} links to ${target}`)
  const hash = fragment === undefined ? '' : `#${fragment}`
  const slug =
    source.slugs.get(linked) ?? source.slugs.get(`${linked.replace(/\/$/, '')}/README.md`)
  // The front page has no section of the README.
  if (slug !== undefined && !(slug === '' && hash !== ''))
    return `${addressBetween(source.slugs.get(file) ?? '', slug)}${hash}`
  const kind = statSync(absolute).isDirectory() ? 'tree' : 'blob'
  return `${source.repositoryUrl}/${kind}/main/${linked}${hash}`
}

const codeSpan = /(`+)(?:(?!\1).)+\1/g
const linkTarget = /\]\(([^)\s]+)/g

/** Applies a function to each link target outside of code spans. */
function mapLinks(line: string, map: (target: string) => string): string {
  const spans = line.match(codeSpan) ?? []
  return (
    line
      .replace(codeSpan, '\0')
      .replace(linkTarget, (_, target: string) => `](${map(target)}`)
      // An address in quotes is JSON of a test name. Markdown would make a broken link of it.
      .replace(/"(https?):/g, '"$1<!-- -->:')
      .replace(/\0/g, () => spans.shift() ?? '')
  )
}

/** Makes the page of a Markdown file: title, links and pictures. */
export function pageOf(file: string, source: SiteSource, text?: string): SitePage {
  const markdown = text ?? readFileSync(join(source.root, file), 'utf8')
  let title = ''
  let fence: string | undefined
  const body: string[] = []
  for (const line of markdown.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    const heading = /^# (.*)$/.exec(line)?.[1]
    if (fence !== undefined) {
      body.push(line)
      if (mark?.startsWith(fence) && /^\s*[`~]+\s*$/.test(line)) fence = undefined
    } else if (mark !== undefined) {
      fence = mark
      body.push(line.replace(/^(\s*```+\w+) ([\w./-]+)$/, '$1 title="$2"'))
    } else if (title === '' && heading !== undefined) title = heading.replace(/`/g, '')
    else body.push(mapLinks(line, (target) => pictureOrLink(target, file, source)))
  }
  return { slug: source.slugs.get(file) ?? '', title, body: body.join('\n').trim() }
}

/** A picture is copied beside its page, so its address stays relative to the file. */
const pictureOrLink = (target: string, file: string, source: SiteSource) =>
  /\.(png|svg|gif)$/.test(target) && !/^[a-z]+:/.test(target)
    ? `./${posix.relative(posix.dirname(source.slugs.get(file) ?? ''), slugOf(posix.join(posix.dirname(file), target)))}`
    : siteLink(target, file, source)

/** Pages whose rows repeat the names of tests, so they would be the first result of most searches. */
const unsearched: ReadonlySet<string> = new Set(['evidence/mutants-guard'])

/** How much a word counts in the search: a symptom leads to its repair, before the tables that programs wrote. */
const weightOf = (slug: string, body: string) =>
  slug === 'troubleshooting' ? 10 : body.startsWith('<!-- generated ') ? 0.2 : 1

const lightBlock = (text: string, weight: number) =>
  `<div data-pagefind-weight="${weight}">\n\n${text}\n</div>\n`

/** Gives tables between the marks of `npm run generate` a low weight, and so the answers to questions, which name other pages. */
const withLightTables = (body: string) =>
  body
    .replace(/<!-- generated by .*?: .*? -->\n[\s\S]*?<!-- end -->/g, (part) =>
      part.replace(/(^\|.*\n)+/gm, (table) => lightBlock(table, 0.2)),
    )
    .replace(/(?<=^## Questions\n)[\s\S]*?(?=\n## )/m, (answers) => lightBlock(answers, 1))

/** The file of a page, with its front matter. */
export const pageFile = ({ slug, title, description, body, look }: SitePage): string => {
  const members = { title, description, ...(unsearched.has(slug) && { pagefind: false }), ...look }
  const lines = Object.entries(members).filter(([, value]) => value !== undefined)
  return `---\n${lines.map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join('')}---\n\n<div data-pagefind-weight="${weightOf(slug, body)}">\n\n${withLightTables(body)}\n\n</div>\n`
}
