import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withBars } from './bars.ts'
import { errorPages } from './error-pages.ts'
import { exampleFiles, examplePages } from './example-pages.ts'
import { frontPage } from './front-page.ts'
import { sidebarOf } from './sidebar.ts'
import { pageFile, pageOf, type SitePage, type SiteSource, slugOf } from './site-pages.ts'

// Writes the pages of the site to .pages, from the Markdown of the repository and the tables of the code.

const root = join(import.meta.dirname, '../..')
const target = join(import.meta.dirname, '.pages')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = execFileSync('git', ['ls-files', 'docs'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
const documents = files.filter((file) => file.endsWith('.md'))
const contents = read('docs/README.md')
const examples = exampleFiles(contents)
const source: SiteSource = {
  root,
  slugs: new Map([
    ['README.md', ''],
    ...[...documents, ...examples.keys()].map((file) => [file, slugOf(file)] as const),
  ]),
  repositoryUrl: JSON.parse(read('package.json')).repository.url.replace(/^git\+|\.git$/g, ''),
}
function write(file: string, text: string) {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  writeFileSync(join(target, file), text)
}

const faults: string[] = []
const attempt = (make: () => SitePage | readonly SitePage[]) => {
  try {
    return [make()].flat()
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
    return []
  }
}
const pages = [
  ...documents.flatMap((file) => attempt(() => withBars(pageOf(file, source)))),
  ...attempt(() => examplePages(source, examples)),
]
const codes = errorPages(source)
const alone: readonly string[] = ['contents', 'glossary', 'troubleshooting']
const sidebar = [
  { label: 'Contents', slug: 'contents' },
  { label: 'Troubleshooting', slug: 'troubleshooting' },
  { label: 'AADSTS codes', slug: 'errors' },
  ...sidebarOf(
    contents,
    pages.filter(({ slug }) => !alone.includes(slug)),
  ),
  { label: 'Glossary', slug: 'glossary' },
]
const front = attempt(() => frontPage(contents, read('README.md'), sidebar, source))
if (faults.length > 0) {
  console.error(`Faults of documents:\n${faults.join('\n')}`)
  process.exit(1)
}

rmSync(target, { recursive: true, force: true })
for (const page of [...front, ...pages, ...codes])
  write(`${page.slug || 'index'}.md`, pageFile(page))
for (const picture of files.filter((file) => /\.(png|svg|gif)$/.test(file))) {
  mkdirSync(dirname(join(target, slugOf(picture))), { recursive: true })
  copyFileSync(join(root, picture), join(target, slugOf(picture)))
}
// Astro serves the mark as the icon of the site.
mkdirSync(join(import.meta.dirname, 'public'), { recursive: true })
copyFileSync(
  join(root, 'packages/http-service/src/look/mark.svg'),
  join(import.meta.dirname, 'public/favicon.svg'),
)
write('sidebar.json', JSON.stringify(sidebar))
