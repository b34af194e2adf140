import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

/** Packages of the registry whose types are in the interface of a bundled package. */
const typedPackages = ['zod', '@hono/node-server']

/** The declaration file that a package of the registry has for ES modules. */
function declarationsOf(root: string, name: string): string {
  const folder = join(root, 'node_modules', name)
  const entry = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).exports['.'].import
  return join(folder, entry.types ?? entry.replace(/js$/, 'd.ts'))
}

/**
 * Writes the declarations of a bundled package, with those that they use and no others, because the
 * package has no dependencies.
 *
 * @param compiled the compiled source of all packages
 * @param path the folder of the package, from the root of the repository
 * @param sources the source file of each subpath, from the folder of the package
 * @param ours the declaration file of each specifier of a package of this repository
 * @throws {Error} with the messages of the bundler, or when a declaration needs another package
 */
export async function bundleDeclarations(
  root: string,
  compiled: string,
  { path, sources, target }: { path: string; sources: readonly string[]; target: string },
  ours: ReadonlyMap<string, string>,
): Promise<void> {
  const entries = sources.map((source) => source.replace(/^\.\/src\/|\.ts$/g, ''))
  const known = new Map([
    ...[...ours].map(([name, file]) => [name, join(compiled, file)] as const),
    ...typedPackages.map((name) => [name, declarationsOf(root, name)] as const),
  ])
  const bundler = await rolldown({
    // The bundler writes the path of each module, which is another one in each build.
    cwd: compiled,
    input: Object.fromEntries(
      entries.map((entry) => [entry, join(compiled, path, 'src', `${entry}.d.ts`)]),
    ),
    plugins: [
      {
        name: 'declarations',
        resolveId: (id, importer) => {
          if (importer === undefined) return id
          const file = join(dirname(importer), id.replace(/\.([cm]?)[jt]s$/, '.d.$1ts'))
          return known.get(id) ?? (id.startsWith('.') ? file : { id, external: true })
        },
      },
      dts({ dtsInput: true, oxc: true, tsconfig: false }),
    ],
  })
  const { output } = await bundler.write({
    dir: join(target, 'lib'),
    format: 'esm',
    chunkFileNames: 'declarations.js',
  })
  for (const one of output) {
    if (one.type !== 'chunk') continue
    // The bundler leaves a comment of one line behind the member before.
    const text = one.code.replace(/; (\/\*\*.*?\*\/)\n( *)/g, ';\n$2$1\n$2')
    writeFileSync(join(target, 'lib', one.fileName), text)
    for (const [, name = ''] of text.matchAll(/^import .* from "([^"]+)"/gm))
      if (!/^(node:|\.)/.test(name))
        throw new Error(`${posix.join(path, one.fileName)} needs ${name}`)
  }
}
