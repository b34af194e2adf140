import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bundledManifest,
  jsrManifest,
  publishedManifest,
  type SourcePackage,
  vendoredManifest,
} from '../manifest.ts'

const outer: SourcePackage = {
  row: {
    path: 'services/outer',
    bundled: ['packages/inner'],
    entryPoints: ['./lib/main.js'],
    assets: ['data/a.json'],
    vendored: [{ name: 'viewer', files: ['viewer.js'] }],
    keywords: ['a'],
    node: '>=24',
  },
  manifest: {
    name: '@greeting/outer',
    version: '1.2.3',
    description: 'The outer package.',
    license: 'Apache-2.0',
    exports: { '.': './src/index.ts', './samples': './test/samples.ts' },
    imports: { '#main': './src/main.ts' },
    bin: { outer: 'bin/outer.js' },
    dependencies: { '@greeting/inner': '*', viewer: '5.0.0', zod: '^4.0.0' },
  },
}
const inner: SourcePackage = {
  row: {
    ...outer.row,
    path: 'packages/inner',
    bundled: [],
    entryPoints: [],
    assets: [],
    vendored: [],
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
  const manifest = publishedManifest(outer, [inner], project)

  it('describes the package, and whom the project is for', () => {
    assert.equal(manifest.description, 'The outer package. The project is for teams.')
    assert.equal(manifest.repository.url, 'git+https://host.example/a.git')
  })

  it('exports compiled files with their types, and no file of the tests', () => {
    assert.deepEqual(manifest.exports, {
      '.': { types: './lib/index.d.ts', default: './lib/index.js' },
      './package.json': './package.json',
    })
    assert.deepEqual(manifest.imports, { '#main': './lib/main.js' })
  })

  it('with CommonJS modules lets Node load one kind of modules, and other programs two', () => {
    const row = { ...inner.row, commonJs: { inlined: [] } }
    const { exports, files } = publishedManifest({ ...inner, row }, [], project)
    const module = { types: './lib/a/b.d.ts', default: './lib/a/b.js' }
    const require = { types: './commonjs/a/b.d.ts', default: './commonjs/a/b.js' }
    assert.deepEqual(exports['./a'], { 'module-sync': module, require, default: module })
    // A program takes the first condition that it knows.
    assert.deepEqual(Object.keys(exports['./a'] ?? {}), ['module-sync', 'require', 'default'])
    assert.deepEqual(files, ['lib', 'src', 'commonjs'])
  })

  it('names its entries for programs that do not read `exports`', () => {
    const { main, types } = manifest
    assert.deepEqual([main, types], ['./lib/index.js', './lib/index.d.ts'])
    const row = { ...inner.row, commonJs: { inlined: [] } }
    const { typesVersions } = publishedManifest({ ...inner, row }, [], project)
    assert.deepEqual(typesVersions, { '*': { a: ['./commonjs/a/b.d.ts'] } })
    const older = bundledManifest(inner).typesVersions
    assert.deepEqual(older, { '*': { a: ['./lib/a/b.d.ts'] } })
  })

  it('has the dependencies of its bundled packages, each with its range', () => {
    assert.deepEqual(manifest.dependencies, {
      '@greeting/inner': '1.2.3',
      pino: '^10.0.0',
      viewer: '5.0.0',
      zod: '^4.0.0',
    })
    assert.deepEqual(manifest.bundleDependencies, ['@greeting/inner', 'viewer'])
  })

  it('lists the files that it ships, and has neither scripts nor development dependencies', () => {
    assert.deepEqual(manifest.files, ['lib', 'src', 'bin', 'data/a.json'])
    assert.deepEqual(
      ['scripts', 'devDependencies', 'private'].filter((name) => name in manifest),
      [],
    )
  })

  it('names its entry points as the only files with side effects', () => {
    assert.deepEqual(manifest.sideEffects, ['./lib/main.js'])
    assert.equal(publishedManifest(inner, [], project).sideEffects, false)
  })
})

it('a bundled package declares no dependency', () => {
  assert.deepEqual(bundledManifest(inner), {
    name: '@greeting/inner',
    version: '1.2.3',
    license: 'Apache-2.0',
    type: 'module',
    exports: {
      './a': { types: './lib/a/b.d.ts', default: './lib/a/b.js' },
      './package.json': './package.json',
    },
    typesVersions: { '*': { a: ['./lib/a/b.d.ts'] } },
  })
})

it('a package of the registry inside another one brings neither dependencies nor scripts', () => {
  const { manifest } = outer
  assert.deepEqual(vendoredManifest(manifest), {
    name: '@greeting/outer',
    version: '1.2.3',
    license: 'Apache-2.0',
  })
})

it('the manifest for JSR exports source, and names one range of each dependency', () => {
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
