import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../docs/guides/clients')

/** What a page tells its reader to run under one heading. */
export type Section = {
  readonly heading: string
  /** Lines for a shell, run first; empty when there are none. */
  readonly shell: string
  /** The module for Node, when there is one. */
  readonly module: string | undefined
}

/** What a page says its reader will see, by what is wrong. */
export type Complaints = ReadonlyMap<string, string>

/** One page of docs/guides/clients, read for what it tells its reader to run and to expect. */
export class ClientPage {
  readonly name: string
  /** Every section with something to run. */
  readonly sections: readonly Section[]
  readonly complaints: Complaints
  readonly text: string

  constructor(name: string) {
    this.name = name
    this.text = readFileSync(join(folder, `${name}.md`), 'utf8')
    this.sections = this.text
      .split(/^## /m)
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
   * @throws {TypeError} when the page has none that could be run.
   */
  section(heading: string): Section {
    const found = this.sections.find((section) => section.heading === heading)
    if (found === undefined) throw new TypeError(`${this.name}.md has no lines under ${heading}.`)
    return found
  }
}

const blocksOf = (text: string, language: string): string[] =>
  Array.from(
    text.matchAll(RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')),
    ([, code = '']) => code,
  )
