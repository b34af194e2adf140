import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

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
