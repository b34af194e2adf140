import { posix } from 'node:path'

/** The text of source files, by path from the root of the repository. */
export type Sources = ReadonlyMap<string, string>

/** Finds the file for a specifier in a file. */
export type Resolve = (file: string, specifier: string) => string

type Export = { readonly kind: string; readonly comment: string }

const declaration =
  /(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?^export (?:async )?(?:abstract )?(function|const|class|type|interface) (\w+)/gm
const reexport = /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm

/** The exports of a source file by name, with those that it exports from other files. */
function exportsOf(file: string, sources: Sources, resolve: Resolve): ReadonlyMap<string, Export> {
  const text = sources.get(file) ?? ''
  const found = new Map<string, Export>()
  for (const [, comment = '', kind = '', name = ''] of text.matchAll(declaration))
    found.set(name, { kind, comment })
  for (const [, names = '', specifier = ''] of text.matchAll(reexport)) {
    const inside = exportsOf(resolve(file, specifier), sources, resolve)
    for (const part of names.split(',').map((one) => one.trim().replace(/^type /, '')))
      if (part !== '') found.set(part, inside.get(part) ?? { kind: 'unknown', comment: '' })
  }
  return found
}

/**
 * Returns the exports of a package that lack a comment, and the functions that lack an example, one
 * sentence for each.
 *
 * @param exports the subpaths of the package, each with its source file
 * @param folder the folder of the package, from the root of the repository
 * @param resolve default: for relative specifiers only
 */
export function undocumentedExports(
  exports: Readonly<Record<string, string>>,
  folder: string,
  sources: Sources,
  resolve: Resolve = (file, specifier) => posix.join(posix.dirname(file), specifier),
): readonly string[] {
  return Object.entries(exports).flatMap(([subpath, source]) =>
    [...exportsOf(posix.join(folder, source), sources, resolve)].flatMap(
      ([name, { kind, comment }]) => {
        if (comment === '') return [`${subpath}: ${name} has no comment`]
        const needsExample = kind === 'function' && !comment.includes('@example')
        return needsExample ? [`${subpath}: ${name} has no example`] : []
      },
    ),
  )
}
