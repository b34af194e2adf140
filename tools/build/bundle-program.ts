import { dirname, join, posix, relative, resolve, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import type { BundledProgram } from './packages.ts'

/** A program, the packages whose modules are bundled with it, and the folder for the files. */
export type ProgramBundle = {
  readonly program: BundledProgram
  /** Folder of the package, from the root of the repository. */
  readonly path: string
  /** Name of each inlined package by its folder, from the root of the repository. */
  readonly inlined: ReadonlyMap<string, string>
  readonly target: string
}

/**
 * Bundles the modules of a program into few files, because a start pays for each file. Packages of
 * the registry stay outside.
 *
 * @param root the root of the repository
 * @throws {Error} with the messages of the bundler
 */
export async function bundleProgram(root: string, bundle: ProgramBundle): Promise<void> {
  const { program, path, inlined, target } = bundle
  const names = [...inlined.values()]
  const isInside = (id: string) =>
    /^[./]/.test(id) || resolve(id) === id || names.some((name) => `${id}/`.startsWith(`${name}/`))
  const source = join(root, path, 'src')
  const together = new Set<string>()
  const bundler = await rolldown({
    cwd: root,
    input: { main: join(source, 'main.ts') },
    platform: 'node',
    external: (id) => !isInside(id),
    plugins: [staticImports(program.loadedTogether, source, together)],
    // A module that is imported both ways is what `loadedTogether` asks for.
    checks: { ineffectiveDynamicImport: false },
  })
  await bundler.write({
    dir: join(target, 'lib'),
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (file, map) =>
      shippedSource(relative(root, resolve(dirname(map), file)), path, inlined),
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'together', test: (id) => together.has(id) }] },
  })
}

/** Collects the modules that a start of the given files loads without a dynamic import. */
const staticImports = (files: readonly string[], folder: string, found: Set<string>): Plugin => ({
  name: 'static-imports',
  buildEnd() {
    const visit = (id: string): void => {
      const module = found.has(id) ? undefined : this.getModuleInfo(id)
      if (!module) return
      found.add(id)
      for (const imported of module.importedIds) visit(imported)
    }
    for (const file of files) {
      const id = join(folder, file)
      if (!this.getModuleInfo(id)) throw new Error(`${file} is not a module of the program`)
      visit(id)
    }
  },
})

/** Where the package contains a source file, from its folder `lib`. */
function shippedSource(file: string, own: string, inlined: ReadonlyMap<string, string>): string {
  const path = file.replaceAll(sep, '/')
  if (path.startsWith(`${own}/`)) return posix.join('..', path.slice(own.length + 1))
  for (const [folder, name] of inlined)
    if (path.startsWith(`${folder}/`))
      return posix.join('../node_modules', name, path.slice(folder.length + 1))
  throw new Error(`${path} is in no package of the program`)
}
