import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { jsrManifest, publishedManifest, type SourcePackage } from '../manifest.ts'
import { packageRows } from '../packages.ts'

const root = join(import.meta.dirname, '../../..')

const outer: SourcePackage = {
  row: {
    path: 'services/outer',
    entryPoints: ['./lib/main.js'],
    assets: ['data/a.json'],
    keywords: ['a'],
    node: '>=24',
    program: {
      entries: { main: 'services/outer/src/main.ts' },
      together: [],
      served: { static: 'packages/pages/static', 'lib/static': 'packages/docs/static' },
      servedFrom: [],
    },
  },
  manifest: {
    name: '@greeting/outer',
    version: '1.2.3',
    description: 'The outer package.',
    license: 'Apache-2.0',
    exports: { '.': './src/index.ts', './samples': './test/samples.ts' },
    imports: { '#main': './src/main.ts', '#other': '@greeting/other/main' },
    bin: { outer: 'bin/outer.js' },
    dependencies: { '@greeting/inner': '*', viewer: '5.0.0', zod: '^4.0.0' },
  },
}
const inner: SourcePackage = {
  row: {
    path: 'packages/inner',
    entryPoints: [],
    assets: [],
    keywords: ['a'],
    node: '>=24',
  },
  manifest: {
    name: '@greeting/inner',
    version: '1.2.3',
    description: 'The inner package.',
    license: 'Apache-2.0',
    exports: { './a': './src/a/b.ts' },
    dependencies: { pino: '^10.0.0' },
  },
}

const project = {
  description: 'The project is for teams. It has a guard.',
  repository: { url: 'git+https://host.example/a.git' },
}

describe('the manifest of a published package', () => {
  const manifest = publishedManifest(outer, project)

  it("describes the package with the project's first sentences", () => {
    assert.equal(manifest.description, 'The outer package. The project is for teams.')
    assert.equal(manifest.repository.url, 'git+https://host.example/a.git')
  })

  it('exports compiled files with their types, but no test file', () => {
    assert.deepEqual(manifest.exports, {
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './package.json': './package.json',
    })
    assert.deepEqual(manifest.imports, { '#main': './lib/main.js', '#other': './lib/other.js' })
  })

  it('gives Node one kind of module if it has CommonJS modules, and other programs two', () => {
    const row = { ...inner.row, commonJs: { inlined: [] } }
    const { exports, files } = publishedManifest({ ...inner, row }, project)
    const module = { types: './lib/a/b.d.ts', default: './lib/a/b.js' }
    const require = { types: './commonjs/a/b.d.ts', default: './commonjs/a/b.js' }
    assert.deepEqual(exports['./a'], { 'module-sync': module, require, default: module })
    // A program takes the first condition that it knows.
    assert.deepEqual(Object.keys(exports['./a'] ?? {}), ['module-sync', 'require', 'default'])
    assert.deepEqual(files, ['lib', 'src', 'commonjs'])
  })

  it('names its entries for programs that ignore `exports`', () => {
    const { main, types } = manifest
    assert.deepEqual([main, types], ['./lib/index.js', './lib/index.d.ts'])
    const row = { ...inner.row, commonJs: { inlined: [] } }
    const { typesVersions } = publishedManifest({ ...inner, row }, project)
    assert.deepEqual(typesVersions, { '*': { a: ['./commonjs/a/b.d.ts'] } })
    const older = publishedManifest(inner, project).typesVersions
    assert.deepEqual(older, { '*': { a: ['./lib/a/b.d.ts'] } })
  })

  it('lists the dependencies of a library, but none of a bundled package', () => {
    assert.deepEqual(publishedManifest(inner, project).dependencies, { pino: '^10.0.0' })
    assert.equal('dependencies' in manifest, false)
  })

  it('lists the files that it ships, and has neither scripts nor development dependencies', () => {
    const bundled = ['lib', 'static', 'LICENSES.txt', 'sbom.cdx.json', 'bin', 'data/a.json']
    assert.deepEqual(manifest.files, bundled)
    assert.deepEqual(
      ['scripts', 'devDependencies', 'private'].filter((name) => name in manifest),
      [],
    )
  })

  it('names only its entry points as files with side effects', () => {
    assert.deepEqual(manifest.sideEffects, ['./lib/main.js'])
    assert.equal(publishedManifest(inner, project).sideEffects, false)
  })
})

it('a JSR manifest exports source, and uses one version range for each dependency', () => {
  const peerDependencies = { express: '^4.21.0 || ^5.0.0' }
  const dependencies = { zod: '^4.0.0' }
  const manifest = { ...inner.manifest, dependencies, peerDependencies }
  assert.deepEqual(jsrManifest({ ...inner, manifest }), {
    name: '@greeting/inner',
    version: '1.2.3',
    license: 'Apache-2.0',
    exports: { './a': './src/a/b.ts' },
    imports: { zod: 'npm:zod@^4.0.0', express: 'npm:express@^5.0.0' },
    publish: { include: ['src', 'README.md', 'LICENSE'] },
  })
})

it('the table of packages names files that exist, so that a moved file is found before a build', () => {
  const named = packageRows.flatMap(({ assets, program }) => [
    ...assets,
    ...Object.values(program?.entries ?? {}),
    ...(program?.together.flat() ?? []),
    ...Object.values(program?.served ?? {}),
  ])
  assert.deepEqual(
    named.filter((file) => !existsSync(join(root, file))),
    [],
  )
})
