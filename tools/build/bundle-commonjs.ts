import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** A package that `require()` loads, its entries, and the folder of the built package. */
export type CommonJsBundle = {
  /** Folder of the package, from the root of the repository. */
  readonly path: string
  /** The source file of each subpath, from the folder of the package. */
  readonly sources: readonly string[]
  /** Dependencies of the registry that are ES modules only, so that the bundle contains them. */
  readonly inlined: readonly string[]
  readonly target: string
}

/**
 * Writes the CommonJS modules of a package next to its ES modules, with the same declarations. Test
 * runners and bundlers that do not load ES modules with `require()` use them.
 *
 * @throws {Error} with the messages of the bundler
 */
export async function bundleCommonJs(root: string, bundle: CommonJsBundle): Promise<void> {
  const { path, sources, inlined, target } = bundle
  const lib = join(target, 'lib')
  const folder = join(target, 'commonjs')
  const input = Object.fromEntries(
    sources.map((source) => [source.replace(/^\.\/src\/|\.ts$/g, ''), join(root, path, source)]),
  )
  const bundler = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: (id) => !/^[./]/.test(id) && !inlined.includes(id),
  })
  await bundler.write({
    dir: folder,
    format: 'cjs',
    chunkFileNames: '[name].js',
  })
  const licenses = inlined.map((name) => {
    const inside = join(root, 'node_modules', name)
    const file = readdirSync(inside).find((one) => /^LICENSE/i.test(one)) ?? ''
    return `${name}\n\n${readFileSync(join(inside, file), 'utf8')}`
  })
  if (licenses.length > 0) writeFileSync(join(folder, 'LICENSES'), licenses.join('\n'))
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}\n')
  for (const file of readdirSync(lib, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.d.ts')) cpSync(join(lib, file), join(folder, file))
}
