import { dirname, posix } from 'node:path'

const relativeSource = /(\bfrom |\bimport\(|^import )(['"])(\.{1,2}\/[^'"\n]*)\.ts\2/gm

/** Changes the relative imports of a declaration file to compiled files, as the compiler does in code. */
export const withCompiledImports = (declarations: string): string =>
  declarations.replace(relativeSource, '$1$2$3.js$2')

/**
 * Changes a source map so that it leads to the source file in the package.
 *
 * @param file the compiled file in its package, such as `lib/a/b.js`
 */
export function withShippedSource(map: string, file: string): string {
  const source = file.replace(/^lib\//, 'src/').replace(/\.js$/, '.ts')
  const { sources, sourceRoot, ...rest } = JSON.parse(map)
  return JSON.stringify({ ...rest, sources: [posix.relative(dirname(file), source)] })
}

const relativeLink = /\]\((?!https?:|#)([^)\s]+)\)/g

/**
 * Changes the relative links of a page so that they lead to the repository.
 *
 * @param folder the folder of the page, from the root of the repository
 * @param base the address of the files of this version
 */
export const withRepositoryLinks = (page: string, folder: string, base: string): string =>
  page.replace(relativeLink, (_, path) => `](${base}/${posix.join(folder, path)})`)
