import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorPages } from './error-pages.ts'
import { sidebarOf } from './sidebar.ts'
import { frontText, pageFile, pageOf, type SiteSource, slugOf } from './site-pages.ts'

// Writes the pages of the site to .pages, from the Markdown of the repository and the tables of the code.

const root = join(import.meta.dirname, '..')
const target = join(import.meta.dirname, '.pages')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = execFileSync('git', ['ls-files', 'docs'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
const documents = files.filter((file) => file.endsWith('.md'))
const source: SiteSource = {
  root,
  slugs: new Map([['README.md', ''], ...documents.map((file) => [file, slugOf(file)] as const)]),
  repositoryUrl: JSON.parse(read('package.json')).repository.url.replace(/^git\+|\.git$/g, ''),
}
function write(file: string, text: string) {
  mkdirSync(dirname(join(target, file)), { recursive: true })
  writeFileSync(join(target, file), text)
}

const faults: string[] = []
const attempt = (file: string, text?: string) => {
  try {
    return [pageOf(file, source, text)]
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
    return []
  }
}
const front = attempt('README.md', frontText(read('README.md')))
const pages = documents.flatMap((file) => attempt(file))
const codes = errorPages(source)
if (faults.length > 0) {
  console.error(`Dead links:\n${faults.join('\n')}`)
  process.exit(1)
}

rmSync(target, { recursive: true, force: true })
for (const page of [...front, ...pages, ...codes])
  write(`${page.slug || 'index'}.md`, pageFile(page))
for (const picture of files.filter((file) => /\.(png|svg|gif)$/.test(file))) {
  mkdirSync(dirname(join(target, slugOf(picture))), { recursive: true })
  copyFileSync(join(root, picture), join(target, slugOf(picture)))
}
const sidebar = sidebarOf(
  read('docs/README.md'),
  pages.filter(({ slug }) => slug !== 'contents' && slug !== 'glossary'),
)
write(
  'sidebar.json',
  JSON.stringify([
    { label: 'Contents', slug: 'contents' },
    { label: 'AADSTS codes', slug: 'errors' },
    ...sidebar,
    { label: 'Glossary', slug: 'glossary' },
  ]),
)
