import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { bundleCommonJs } from './bundle-commonjs.ts'
import { bundleProgram } from './bundle-program.ts'
import { compile } from './compile.ts'
import { withCompiledImports, withRepositoryLinks, withShippedSource } from './compiled-text.ts'
import {
  bundledManifest,
  jsrManifest,
  type ProjectManifest,
  publishedManifest,
  type SourceManifest,
  type SourcePackage,
  vendoredManifest,
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

/** Source that is compiled. All other files, such as style sheets, are read at run time. */
const isCompiled = (path: string) => path.endsWith('.ts')

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

/** Copies the source files of a package, and the files that the modules read. */
function writeSource(root: string, path: string, target: string): void {
  const source = join(root, path, 'src')
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!statSync(join(source, file)).isFile()) continue
    cpSync(join(source, file), join(target, isCompiled(file) ? 'src' : 'lib', file))
  }
}

/**
 * Builds packages from the source.
 *
 * @param root the root of the repository
 * @param folderOf the folder of a package, which is emptied first; by default `dist` in its source folder
 * @param paths the folders of the packages; by default those that are published
 * @throws {Error} with the messages of the compiler
 */
export async function buildPackages(
  root: string,
  folderOf = (path: string) => join(root, path, 'dist'),
  paths = publishedPaths,
): Promise<readonly BuiltPackage[]> {
  const project = readJson(join(root, 'package.json')) as ProjectManifest
  const address = project.repository.url.replace(/^git\+|\.git$/g, '')
  const sources = new Map<string, SourcePackage>(
    packageRows.map((row) => {
      const manifest: SourceManifest = readJson(join(root, row.path, 'package.json'))
      return [row.path, { row, manifest }]
    }),
  )
  const sourceOf = (path: string) => {
    const source = sources.get(path)
    if (source === undefined) throw new TypeError(`${path} has no row in tools/build/packages.ts`)
    return source
  }
  const compiled = mkdtempSync(join(tmpdir(), 'greeting-build-'))
  try {
    compile(root, compiled)
    const packages: BuiltPackage[] = []
    for (const path of paths) {
      const source = sourceOf(path)
      const bundled = source.row.bundled.map(sourceOf)
      const folder = folderOf(path)
      rmSync(folder, { recursive: true, force: true })
      writeSource(root, path, folder)
      const { program, commonJs } = source.row
      if (program === undefined) writeModules(compiled, path, folder)
      else {
        const names = program.inlined.map((one) => [one, sourceOf(one).manifest.name] as const)
        await bundleProgram(root, { program, path, inlined: new Map(names), target: folder })
      }
      if (commonJs !== undefined) {
        const sources = Object.values(source.manifest.exports ?? {})
        await bundleCommonJs(root, { path, sources, inlined: commonJs.inlined, target: folder })
      }
      for (const one of bundled) {
        const inside = join(folder, 'node_modules', one.manifest.name)
        writeModules(compiled, one.row.path, inside)
        writeSource(root, one.row.path, inside)
        write(join(inside, 'package.json'), json(bundledManifest(one)))
        cpSync(join(root, 'LICENSE'), join(inside, 'LICENSE'))
      }
      for (const { name, files } of source.row.vendored) {
        const [from, inside] = [
          join(root, 'node_modules', name),
          join(folder, 'node_modules', name),
        ]
        for (const file of files) cpSync(join(from, file), join(inside, file))
        write(
          join(inside, 'package.json'),
          json(vendoredManifest(readJson(join(from, 'package.json')))),
        )
      }
      if (source.manifest.bin)
        cpSync(join(root, path, 'bin'), join(folder, 'bin'), { recursive: true })
      for (const asset of source.row.assets) cpSync(join(root, asset), join(folder, asset))
      const { name, version } = source.manifest
      const base = `${address}/blob/v${version}`
      const page = readFileSync(join(root, path, 'README.md'), 'utf8')
      write(join(folder, 'README.md'), withRepositoryLinks(page, path, base))
      cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
      write(join(folder, 'package.json'), json(publishedManifest(source, bundled, project)))
      // Not in the tarball: `files` does not name it.
      if (bundled.length === 0) write(join(folder, 'jsr.json'), json(jsrManifest(source)))
      packages.push({ name, version, folder })
    }
    return packages
  } finally {
    rmSync(compiled, { recursive: true })
  }
}
