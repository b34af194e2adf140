import type { PackageRow } from './packages.ts'

/** The manifest of a package in the repository. */
export type SourceManifest = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly exports?: Readonly<Record<string, string>>
  readonly imports?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>
}

/** A package with its manifest in the repository. */
export type SourcePackage = { readonly row: PackageRow; readonly manifest: SourceManifest }

type Entry = { readonly types: string; readonly default: string }

/**
 * Node prefers `module-sync`, so `import` and `require()` load the same ES modules. Only what does not
 * know this condition, such as jest, loads the CommonJS modules.
 */
type DualEntry = {
  readonly 'module-sync': Entry
  readonly require: Entry
  readonly default: Entry
}

/** What every published package says of the project. */
export type ProjectManifest = {
  /** Sentences, of which the first one says whom the project is for. */
  readonly description: string
  readonly repository: { readonly url: string }
}

/** The compiled file of a source file: `.ts` in `src` is `.js` in `lib`. */
const compiledFile = (source: string) => source.replace('./src/', './lib/').replace(/\.ts$/, '.js')

function compiledExports(
  exports: Readonly<Record<string, string>> = {},
  hasCommonJs = false,
): Readonly<Record<string, Entry | DualEntry | string>> {
  const entryOf = (file: string) => ({ types: file.replace(/\.js$/, '.d.ts'), default: file })
  const entries: [string, Entry | DualEntry | string][] = Object.entries(exports)
    .filter(([, source]) => source.startsWith('./src/'))
    .map(([subpath, source]) => {
      const file = compiledFile(source)
      const entry = entryOf(file)
      if (!hasCommonJs) return [subpath, entry]
      const required = entryOf(file.replace('./lib/', './commonjs/'))
      return [subpath, { 'module-sync': entry, require: required, default: entry }]
    })
  return Object.fromEntries([...entries, ['./package.json', './package.json']])
}

/**
 * For what does not read `exports`: TypeScript with `moduleResolution: node10`, which is its default for
 * `module: commonjs` up to version 5. Programs of Node read `exports` and not these.
 */
function entriesWithoutExports(
  exports: Readonly<Record<string, string>> = {},
  hasCommonJs = false,
) {
  const compiled = Object.entries(compiledExports(exports, hasCommonJs)).flatMap(
    ([subpath, entry]) => {
      if (typeof entry === 'string') return []
      return [[subpath.replace(/^\.\/?/, ''), 'require' in entry ? entry.require : entry] as const]
    },
  )
  const main = compiled.find(([subpath]) => subpath === '')?.[1]
  const others = compiled.filter(([subpath]) => subpath !== '')
  return {
    ...(main && { main: main.default, types: main.types }),
    ...(others.length > 0 && {
      typesVersions: {
        '*': Object.fromEntries(others.map(([name, { types }]) => [name, [types]])),
      },
    }),
  }
}

/** An import of a bundled package leads to its module of this name, also when the source is in another package. */
const compiledImports = (imports: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.keys(imports).map((name) => [name, `./lib/${name.slice(1)}.js`]))

/**
 * The manifest with which a package leaves the repository. It has no scripts and no development
 * dependencies. A bundled package contains its dependencies.
 *
 * @param project the manifest of the root
 */
export function publishedManifest({ row, manifest }: SourcePackage, project: ProjectManifest) {
  const { name, version, description, license, bin, imports } = manifest
  const folders = [
    'lib',
    ...(row.program
      ? [
          ...Object.keys(row.program.served).filter((one) => !one.includes('/')),
          'LICENSES.txt',
          'sbom.cdx.json',
        ]
      : ['src']),
    ...(row.commonJs ? ['commonjs'] : []),
    ...(bin ? ['bin'] : []),
    ...row.assets,
  ]
  return {
    name,
    version,
    description: `${description} ${project.description.split(/(?<=\.) /)[0]}`,
    keywords: row.keywords,
    license,
    repository: { type: 'git', url: project.repository.url, directory: row.path },
    type: 'module',
    sideEffects: row.entryPoints.length > 0 ? row.entryPoints : false,
    engines: { node: row.node },
    files: folders,
    exports: compiledExports(manifest.exports, row.commonJs !== undefined),
    ...entriesWithoutExports(manifest.exports, row.commonJs !== undefined),
    ...(imports && { imports: compiledImports(imports) }),
    ...(bin && { bin }),
    ...(!row.program && { dependencies: manifest.dependencies }),
    ...(manifest.peerDependencies && {
      peerDependencies: manifest.peerDependencies,
      peerDependenciesMeta: manifest.peerDependenciesMeta,
    }),
  }
}

/** The manifest for the registry JSR, which takes TypeScript source. */
export function jsrManifest({ manifest }: SourcePackage) {
  const { name, version, license, exports = {}, dependencies, peerDependencies } = manifest
  const ranges = Object.entries({ ...dependencies, ...peerDependencies })
  // A specifier of JSR has one range: the newest of several.
  const imports = ranges.map(([one, range]) => [
    one,
    `npm:${one}@${range.split('||').at(-1)?.trim()}`,
  ])
  const publish = { include: ['src', 'README.md', 'LICENSE'] }
  return { name, version, license, exports, imports: Object.fromEntries(imports), publish }
}
