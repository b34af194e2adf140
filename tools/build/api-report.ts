import { posix } from 'node:path'

/** The declaration files of the repository. */
export type Declarations = {
  /** The text of each file, by its path from the root of the repository. */
  readonly texts: ReadonlyMap<string, string>
  /** The file of each specifier of a package, such as `@greeting/guard`. */
  readonly entries?: ReadonlyMap<string, string>
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:function|const|class|type|interface) (\w+)/gm
const reexport = /^export (?:type )?\{([^}]*)\} from '([^']+)';/gm

/** The end of the statement that begins at an index: its semicolon, or the last brace of a class. */
function endOfStatement(text: string, start: number): number {
  const endsWithBrace = /^export (?:declare )?(?:abstract )?(?:class|interface) /.test(
    text.slice(start, start + 40),
  )
  let depth = 0
  for (let index = start; index < text.length; index += 1) {
    const character = text[index] ?? ''
    if ('{(['.includes(character)) depth += 1
    if ('})]'.includes(character)) depth -= 1
    if (depth > 0) continue
    if (character === ';') return index + 1
    if (character === '}' && endsWithBrace) return index + 1
  }
  return text.length
}

/** A statement, with the schemas of the same file from which its types are derived. */
function withSchemas(statement: string, text: string): string {
  const schemas = [...statement.matchAll(/\btypeof (\w+)/g)].flatMap(([, name]) => {
    const start = text.indexOf(`\ndeclare const ${name}: `)
    return start < 0 ? [] : [text.slice(start + 1, endOfStatement(text, start + 1))]
  })
  return [statement, ...schemas].join('\n')
}

const withoutComments = (text: string) =>
  text.replace(/^ *\/\*\*.*?\*\/\n/gms, '').replace(/\}\n \| /g, '} | ')

/** The exported declarations of a file by name, with those that it exports from other files. */
function exportsOf(file: string, files: Declarations): ReadonlyMap<string, string> {
  const text = withoutComments(files.texts.get(file) ?? '')
  const found = new Map<string, string>()
  for (const match of text.matchAll(declaration)) {
    const [, name = ''] = match
    const end = endOfStatement(text, match.index)
    const statement = withSchemas(text.slice(match.index, end), text)
    // A function with overloads has several statements.
    found.set(name, [found.get(name), statement].filter(Boolean).join('\n'))
  }
  for (const [, names = '', specifier = ''] of text.matchAll(reexport)) {
    const source =
      files.entries?.get(specifier) ??
      posix.join(posix.dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts'))
    const inside = exportsOf(source, files)
    for (const part of names.split(',').map((one) => one.trim().replace(/^type /, ''))) {
      if (part === '') continue
      const statement = inside.get(part)
      if (statement === undefined) throw new Error(`${source} declares no ${part}`)
      found.set(part, statement)
    }
  }
  return found
}

/** The subpaths and the commands of a package, each with its file. */
export type Entries = {
  readonly exports: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>> | undefined
}

/**
 * Describes every exported name of a package with its type, and names its commands.
 *
 * @param folder the folder of the package, from the root of the repository
 * @throws {Error} when a subpath exports a name without a declaration
 */
export function apiReport(
  name: string,
  { exports, bin = {} }: Entries,
  folder: string,
  files: Declarations,
): string {
  const sections = Object.entries(exports)
    .filter(([subpath, source]) => source.startsWith('./src/') && subpath !== './main')
    .map(([subpath, source]) => {
      const file = posix.join(folder, source.replace(/\.ts$/, '.d.ts'))
      const statements = [...exportsOf(file, files)]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, statement]) => statement)
      return `## ${name}${subpath.slice(1)}\n\n\`\`\`ts\n${statements.join('\n\n')}\n\`\`\`\n`
    })
  const isProgram = './main' in exports
  const commands = Object.keys(bin).map(
    (command) =>
      `The command \`${command}\`${isProgram ? `, which \`${name}/main\` starts too.` : '.'}\n`,
  )
  if (sections.length === 0) commands.push('The package exports no names.\n')
  return [
    ...(commands.length > 0 ? [`## Commands\n\n${commands.join('\n')}`] : []),
    ...sections,
  ].join('\n')
}
