import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../docs/guides/clients')

/** The commands and the module under one heading of a page. */
export type Section = {
  readonly heading: string
  /** Lines for a shell, which run before the module; empty when there are none. */
  readonly shell: string
  /** The module for Node, if there is one. */
  readonly module: string | undefined
}

/** The expected output for each failure, from a page. */
export type Complaints = ReadonlyMap<string, string>

/** One client in a page of docs/guides/clients: its commands, its modules and the promised output. */
export class ClientPage {
  readonly name: string
  /** The sections with commands or a module. */
  readonly sections: readonly Section[]
  readonly complaints: Complaints
  readonly text: string

  /** The link to the client from the index. */
  readonly link: string

  /** @param file without `.md`; the client is one of its sections */
  constructor(name: string, file: string) {
    this.name = name
    this.link = `${file}.md#${name.replaceAll(/[@/]/g, '')}`
    const [, text = ''] = readFileSync(join(folder, `${file}.md`), 'utf8').split(`\n## ${name}\n`)
    this.text = text.split('\n## ')[0] ?? ''
    const sections: Section[] = []
    for (const part of this.text.split(/^### /m).slice(1)) {
      const heading = part.slice(0, part.indexOf('\n'))
      const shell = blocksOf(part, 'sh').join('')
      const [diff] = blocksOf(part, 'diff')
      const [module = diff && changed(diff, sections)] = blocksOf(part, 'js')
      if (shell !== '' || module !== undefined) sections.push({ heading, shell, module })
    }
    this.sections = sections
    const rows = this.text.matchAll(/^\| (.+?) \| `(.+)` \|$/gm)
    this.complaints = new Map(Array.from(rows, ([, what = '', said = '']) => [what, said]))
  }

  /**
   * The section under a heading.
   *
   * @throws {TypeError} when the page has no commands under the heading.
   */
  section(heading: string): Section {
    const found = this.sections.find((section) => section.heading === heading)
    if (found === undefined) throw new TypeError(`${this.link} has no lines under ${heading}.`)
    return found
  }
}

const blocksOf = (text: string, language: string): string[] =>
  Array.from(
    text.matchAll(RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')),
    ([, code = '']) => code,
  )

/**
 * The nearest program above that has the lines of the diff, with its changes.
 *
 * @throws {TypeError} no program has them
 */
function changed(diff: string, above: readonly Section[]): string {
  const hunks = diff.split('@@\n').map((hunk) => {
    const lines = hunk.split('\n')
    const side = (mark: string) =>
      lines
        .filter((line) => !line.startsWith(mark))
        .map((line) => line.slice(1))
        .join('\n')
    return { before: `\n${side('+')}`, after: `\n${side('-')}` }
  })
  const base = above
    .map(({ module }) => `\n${module}`)
    .findLast((program) => hunks.every(({ before }) => program.includes(before)))
  if (base === undefined) throw new TypeError(`No program has the lines of ${diff}`)
  return hunks.reduce((program, { before, after }) => program.replace(before, () => after), base)
}
