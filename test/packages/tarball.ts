import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltPackage } from '../../tools/build/build-packages.ts'
import { npm } from './program.ts'

/** Packs each built package into a folder, as `npm publish` does. Its manifest for JSR is beside it. */
export function packAll(packages: readonly BuiltPackage[], folder: string): void {
  mkdirSync(folder, { recursive: true })
  npm(['pack', '--pack-destination', folder, ...packages.map((one) => one.folder)], folder)
  for (const one of packages) {
    const manifest = join(one.folder, 'jsr.json')
    const name = `greeting-${one.name.replace('@greeting/', '')}.jsr.json`
    if (existsSync(manifest)) cpSync(manifest, join(folder, name))
  }
}

/**
 * The tarball of a package, such as `guard`, in the folder of this run.
 *
 * @throws {Error} when no such tarball was packed
 */
export function tarballOf(name: string): string {
  const folder = process.env.GREETING_TARBALLS
  if (folder === undefined) throw new Error('run these tests with npm run test:packages')
  const file = readdirSync(folder).find((one) => new RegExp(`^greeting-${name}-\\d`).test(one))
  if (file === undefined) throw new Error(`no tarball of ${name} in ${folder}`)
  return join(folder, file)
}
