import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import type { Program } from './packages.ts'

/** Addresses that the packages do not have: an optional native driver, and the runner of the user. */
const absent = ['pg-native', 'vitest']

/**
 * Bundles the modules of a program with all that they import into few files, because a start pays for
 * each file. What a start does not need stays apart, and is loaded when it is used.
 *
 * @param root the root of the repository
 * @param target the folder of the package
 * @returns the folders of the packages of the registry that the files contain
 * @throws {Error} with the messages of the bundler
 */
export async function bundleProgram(
  root: string,
  program: Program,
  target: string,
): Promise<readonly string[]> {
  const rows = program.together.map((files) => ({ files, modules: new Set<string>() }))
  const bundler = await rolldown({
    cwd: root,
    input: Object.fromEntries(
      Object.entries(program.entries).map(([name, file]) => [name, join(root, file)]),
    ),
    platform: 'node',
    // `#main` is of the package, and found when it runs.
    external: (id) => id.startsWith('node:') || id.startsWith('#') || absent.includes(id),
    plugins: [staticImports(root, rows)],
    // A module that is imported both ways is what `together` asks for.
    checks: { ineffectiveDynamicImport: false },
  })
  const { output } = await bundler.write({
    dir: join(target, 'lib'),
    format: 'esm',
    sourcemap: true,
    sourcemapPathTransform: (file, map) =>
      join('..', relative(root, resolve(dirname(map), file))).replaceAll(sep, '/'),
    chunkFileNames: '[name].js',
    codeSplitting: {
      groups: rows.map(({ files, modules }, index) => ({
        name: `part-${index + 1}-${/([^/]+)\.ts$/.exec(files[0] ?? '')?.[1]}`,
        test: (id) => modules.has(id),
        priority: rows.length - index,
      })),
    },
  })
  for (const [to, from] of Object.entries(program.served))
    cpSync(join(root, from), join(target, to), { recursive: true })
  const chunks = output.filter((one): one is OutputChunk => one.type === 'chunk')
  for (const { sourcemapFileName: file } of chunks)
    if (file) leaveOutForeignSource(join(target, 'lib', file))
  const inside = chunks.flatMap(({ moduleIds }) => moduleIds).flatMap(folderOfPackage)
  const served = program.servedFrom.map((name) => join(root, 'tools/build/served', name))
  return [...new Set([...inside, ...served])].toSorted()
}

/** The folder of the package of the registry to which a module belongs. */
function folderOfPackage(id: string): readonly string[] {
  const [, folder] = /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? []
  return folder === undefined ? [] : [folder]
}

/** The source of this project is in the map. That of others is only named. */
function leaveOutForeignSource(file: string): void {
  const map: { sources: string[]; sourcesContent: (string | null)[] } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const sourcesContent = map.sourcesContent.map((text, index) =>
    map.sources[index]?.includes('/node_modules/') ? null : text,
  )
  writeFileSync(file, JSON.stringify({ ...map, sourcesContent }))
}

/** Collects the modules that a start of the files of a row loads without a dynamic import. */
const staticImports = (
  root: string,
  rows: readonly { readonly files: readonly string[]; readonly modules: Set<string> }[],
): Plugin => ({
  name: 'static-imports',
  buildEnd() {
    for (const { files, modules } of rows) {
      const visited = new Set<string>()
      const visit = (id: string): void => {
        const module = visited.has(id) ? undefined : this.getModuleInfo(id)
        if (!module) return
        visited.add(id)
        // What an entry does happens when it is started, and not with the files of a row.
        if (!module.isEntry) modules.add(id)
        for (const imported of module.importedIds) visit(imported)
      }
      for (const file of files) {
        const id = join(root, file)
        if (!this.getModuleInfo(id)) throw new Error(`${file} is not a module of the program`)
        visit(id)
      }
    }
  },
})
