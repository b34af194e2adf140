import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Every file that git tracks or would track, as paths from the root of the repository. */
export const files: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))

export const sources = files.filter((file) => /\.(ts|js|mjs)$/.test(file))

export const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const importPattern =
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

/** The specifiers that a file imports, including type imports and dynamic imports. */
export function importsOf(file: string): string[] {
  return [...read(file).matchAll(importPattern)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  )
}

/** The file of this repository for a specifier; undefined for an external package. */
export function resolveOurs(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    return relative(root, join(root, dirname(file), specifier))
  }
  const workspace = workspaces.find(
    ({ name }) => specifier === name || specifier.startsWith(`${name}/`),
  )
  if (workspace === undefined) return undefined
  const subpath = `.${specifier.slice(workspace.name.length)}`
  const target = workspace.exports?.[subpath]
  return target === undefined ? `${workspace.path}/src` : join(workspace.path, target)
}

type Manifest = {
  name: string
  workspaces?: string[]
  /** The files of the public subpaths. */
  exports?: Record<string, string>
}

const manifestOf = (path: string): Manifest => JSON.parse(read(join(path, 'package.json')))

export const workspaces = (manifestOf('.').workspaces ?? []).map((path) => ({
  path,
  ...manifestOf(path),
}))
