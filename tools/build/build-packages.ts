import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundleCommonJs } from './bundle-commonjs.ts'
import { bundleDeclarations } from './bundle-declarations.ts'
import { bundleProgram } from './bundle-program.ts'
import { compile, declarationFiles } from './compile.ts'
import { withCompiledImports, withRepositoryLinks, withShippedSource } from './compiled-text.ts'
import { writeContents } from './contents.ts'
import {
  jsrManifest,
  type ProjectManifest,
  publishedManifest,
  type SourceManifest,
} from './manifest.ts'
import { packageRows, publishedPaths } from './packages.ts'

/** A package after the build. */
export type BuiltPackage = {
  readonly name: string
  readonly version: string
  readonly folder: string
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Copies the compiled files of a package. */
function writeModules(compiled: string, path: string, target: string): void {
  const from = join(compiled, path, 'src')
  const files = readdirSync(from, { recursive: true, encoding: 'utf8' }).toSorted()
  for (const file of files.map((name) => name.replaceAll('\\', '/'))) {
    if (!/\.(js|js\.map|d\.ts)$/.test(file)) continue
    const text = readFileSync(join(from, file), 'utf8')
    const out = `lib/${file}`
    if (file.endsWith('.map')) write(join(target, out), withShippedSource(text, out.slice(0, -4)))
    else write(join(target, out), file.endsWith('.d.ts') ? withCompiledImports(text) : text)
  }
}

/**
 * Builds packages from the source.
 *
 * @param root the root of the repository
 * @param folderOf the folder of a package, which is emptied first; by default `dist` in its source folder
 * @param paths the folders of the packages; by default those that are published
 * @throws {Error} with the messages of the compiler or of the bundler
 */
export async function buildPackages(
  root: string,
  folderOf = (path: string) => join(root, path, 'dist'),
  paths = publishedPaths,
): Promise<readonly BuiltPackage[]> {
  const project = readJson(join(root, 'package.json')) as ProjectManifest
  const address = project.repository.url.replace(/^git\+|\.git$/g, '')
  const compiled = mkdtempSync(join(tmpdir(), 'greeting-build-'))
  try {
    compile(root, compiled)
    const packages: BuiltPackage[] = []
    for (const row of packageRows.filter(({ path }) => paths.includes(path))) {
      const { path, program, commonJs } = row
      const source: SourceManifest = readJson(join(root, path, 'package.json'))
      // Other subpaths of a program are for the packages that are bundled with it.
      const shipped = Object.entries(source.exports ?? {}).filter(
        ([, file]) => !program || file.replace(/^\.\/src\/|\.ts$/g, '') in program.entries,
      )
      const manifest = {
        ...source,
        ...(source.exports && { exports: Object.fromEntries(shipped) }),
      }
      const { name, version, exports = {}, bin } = manifest
      const target = folderOf(path)
      rmSync(target, { recursive: true, force: true })
      const sources = Object.values(exports)
      if (program === undefined) {
        writeModules(compiled, path, target)
        cpSync(join(root, path, 'src'), join(target, 'src'), { recursive: true })
      } else {
        writeContents(root, target, manifest, await bundleProgram(root, program, target))
        if (sources.length > 0)
          await bundleDeclarations(
            root,
            compiled,
            { path, sources, target },
            declarationFiles(root),
          )
      }
      if (commonJs !== undefined)
        await bundleCommonJs(root, { path, sources, inlined: commonJs.inlined, target })
      if (bin) cpSync(join(root, path, 'bin'), join(target, 'bin'), { recursive: true })
      for (const asset of row.assets) cpSync(join(root, asset), join(target, asset))
      const base = `${address}/blob/v${version}`
      const page = readFileSync(join(root, path, 'README.md'), 'utf8')
      write(join(target, 'README.md'), withRepositoryLinks(page, path, base))
      cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'))
      write(join(target, 'package.json'), json(publishedManifest({ row, manifest }, project)))
      // Not in the tarball: `files` does not name it.
      if (program === undefined)
        write(join(target, 'jsr.json'), json(jsrManifest({ row, manifest })))
      packages.push({ name, version, folder: target })
    }
    return packages
  } finally {
    rmSync(compiled, { recursive: true })
  }
}
