import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/**
 * Compiles the source of all packages into a folder, with declarations and source maps. The paths in
 * the folder are those of the repository.
 *
 * @throws {Error} with the messages of the compiler
 */
export function compile(root: string, outFolder: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '--project', join(root, 'tools/build'), '--outDir', outFolder]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the source does not compile:\n${stdout}${stderr}`)
}

/** The declaration file of each specifier of a package of this repository, from the root. */
export function declarationFiles(root: string): ReadonlyMap<string, string> {
  const manifestIn = (path: string) =>
    JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
  const workspaces: readonly string[] = manifestIn('.').workspaces
  const entries = workspaces.flatMap((path) => {
    const { name, exports = {} } = manifestIn(path)
    return Object.entries<string>(exports).map(
      ([subpath, source]) =>
        [`${name}${subpath.slice(1)}`, posix.join(path, source.replace(/\.ts$/, '.d.ts'))] as const,
    )
  })
  return new Map(entries)
}
