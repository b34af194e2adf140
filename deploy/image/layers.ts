import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { npm } from '../../test/packages/program.ts'
import { buildPackages } from '../../tools/build/build-packages.ts'
import { packageRows } from '../../tools/build/packages.ts'
import { billOfImage } from './bill-of-image.ts'
import type { Target } from './targets.ts'

/** The layers of an image, from the one that changes least. The Containerfile copies each to /app. */
export const layerNames = ['dependencies', 'program'] as const

/** Files that no running program reads. Licenses have no such ending. */
const unusedEndings = new Set(
  '.ts .mts .cts .tsx .map .md .markdown .flow .scss .html .zip .sh .yml'.split(' '),
)

/** Folders of a built package that only a debugger reads. */
const unusedFolders = ['src', 'README.md', 'jsr.json']

/** Copies a folder without declarations, source maps and pages. */
function copyRuntimeFiles(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) =>
      !unusedEndings.has(extname(path)) &&
      // npm links the workspaces and the programs. The programs of dependencies are not run.
      !path.endsWith('node_modules/.bin'),
  })
}

type Manifest = { readonly name: string; readonly dependencies?: Record<string, string> }

/**
 * The lock file and the manifests that `npm ci` needs, so that it installs without the source. They lack
 * the packages of ours that none of the programs contains, with what only those depend on.
 *
 * @param programs the paths of the programs
 * @returns their contents, by their paths from the root
 */
export function manifestsFor(root: string, programs: readonly string[]): Map<string, object> {
  const jsonOf = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const [project, lock] = ['package.json', 'package-lock.json'].map(jsonOf)
  const manifests = (project.workspaces as string[]).map((path) => ({
    path,
    manifest: jsonOf(`${path}/package.json`) as Manifest,
  }))
  const contained = packageRows
    .filter(({ path }) => programs.includes(path))
    .flatMap(({ path, bundled }) => [path, ...bundled])
  const absent = manifests.filter(({ path }) => !contained.includes(path))
  for (const { path, manifest } of manifests)
    for (const { name } of absent.map((one) => one.manifest)) {
      delete manifest.dependencies?.[name]
      delete lock.packages[path].dependencies?.[name]
    }
  return new Map<string, object>([
    ['package.json', project],
    ['package-lock.json', lock],
    ...manifests.map(({ path, manifest }) => [`${path}/package.json`, manifest] as const),
  ])
}

/** Installs what the lock file has for some workspaces, and removes the links to our own packages. */
function installDependencies(root: string, folder: string, workspaces: readonly string[]): void {
  for (const [file, content] of manifestsFor(root, workspaces)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), JSON.stringify(content))
  }
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  npm(['ci', ...flags, ...workspaces.flatMap((one) => ['--workspace', one])], folder)
  for (const unused of ['@greeting', '.package-lock.json'])
    rmSync(join(folder, 'node_modules', unused), { recursive: true, force: true })
}

/** The file that `kubectl exec` starts by its name. No shell is needed: the kernel reads the first line. */
const commandFile = `#!/nodejs/bin/node
import '../node_modules/@greeting/cli/bin/greeting.js'
`

/** Adds a built command to a program, with one copy of the packages that both contain. */
function addCommand(built: string, program: string): void {
  const own = join(program, 'node_modules/@greeting')
  for (const part of ['lib', 'bin', 'package.json'])
    copyRuntimeFiles(join(built, part), join(own, 'cli', part))
  // The command starts the service for a backup, and finds it by its name.
  symlinkSync('../..', join(own, 'identity-provider'))
  writeFileSync(join(program, 'bin/greeting'), commandFile, { mode: 0o755 })
}

/**
 * Writes the layers of an image into a folder, one folder each. The layers have the built package, its
 * dependencies of the lock file, and the list of both as `sbom.cdx.json`. The list names the Node of this process.
 *
 * @param root the root of the repository
 * @throws {Error} with the messages of the compiler or of npm
 */
export async function writeLayers(
  root: string,
  { name, path, command }: Target,
  folder: string,
): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'greeting-image-'))
  try {
    const install = join(work, 'install')
    const paths = command === undefined ? [path] : [path, command]
    installDependencies(root, install, paths)
    for (const part of ['node_modules', join(path, 'node_modules')]) {
      // npm puts a package below the workspace when another version has the outer place.
      if (!existsSync(join(install, part))) continue
      copyRuntimeFiles(join(install, part), join(folder, 'dependencies/node_modules'))
    }
    const built = (of: string) => join(work, 'built', of)
    await buildPackages(root, built, paths)
    copyRuntimeFiles(built(path), join(folder, 'program'))
    for (const one of unusedFolders)
      rmSync(join(folder, 'program', one), { recursive: true, force: true })
    const inside = join(folder, 'program/node_modules')
    for (const own of readdirSync(join(inside, '@greeting')))
      rmSync(join(inside, '@greeting', own, 'src'), { recursive: true, force: true })
    if (command !== undefined) addCommand(built(command), join(folder, 'program'))
    const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8')
    const bill = billOfImage(`greeting-${name}`, folder, lockFile, process.versions.node)
    writeFileSync(join(folder, 'program/sbom.cdx.json'), bill)
  } finally {
    rmSync(work, { recursive: true })
  }
}
