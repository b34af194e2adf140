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

/** The output that a page promises, by failure. */
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
    this.sections = this.text
      .split(/^### /m)
      .slice(1)
      .map((text) => ({
        heading: text.slice(0, text.indexOf('\n')),
        shell: blocksOf(text, 'sh').join(''),
        module: blocksOf(text, 'js')[0],
      }))
      .filter(({ shell, module }) => shell !== '' || module !== undefined)
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
