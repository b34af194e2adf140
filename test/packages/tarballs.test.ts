import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { buildPackages } from '../../tools/build/build-packages.ts'
import { Consumer } from './consumer.ts'
import { tarballOf } from './tarball.ts'

const root = join(import.meta.dirname, '../..')
const packages = [
  { name: 'guard', path: 'packages/guard', outside: ['zod'] },
  { name: 'client', path: 'packages/client', outside: ['oauth4webapi'] },
  { name: 'testing', path: 'packages/testing', outside: [] },
  { name: 'api', path: 'services/greeting-api', outside: [] },
  { name: 'identity-provider', path: 'services/identity-provider', outside: [] },
  { name: 'cli', path: 'cli', outside: [] },
]

/**
 * What arethetypeswrong reports by design: the packages are ES modules, and `exports` needs a
 * resolution that knows it.
 */
const accepted: Readonly<Record<string, string>> = {
  CJSResolvesToESM: 'Node since 22 loads an ES module with require().',
}

/** A file that the bundler names, or one that a page serves. */
const bundledFile =
  /^lib\/([a-z\d-]+\/)*[A-Za-z\d-]+(\.js|\.js\.map|\.d\.ts)$|^(lib\/)?(static|look)\/[a-z.-]+$/

/** The CommonJS modules are bundled too. Their declarations are those of the ES modules. */
const commonJsFile = /^commonjs\/([a-z-]+\/)*[a-z\d-]+(\.js|\.d\.ts)$/
const commonJsPackages = ['guard', 'client']

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .toSorted()

for (const { name, path, outside } of packages) {
  describe(`the tarball of ${name}`, () => {
    const isBundled = !commonJsPackages.includes(name)
    const consumer = new Consumer()
    const installed = join(consumer.folder, 'node_modules/@greeting', name)
    const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    before(() => consumer.install(name))
    after(() => consumer[Symbol.dispose]())

    it('installs alone, without our other packages', () => {
      assert.deepEqual(readdirSync(join(consumer.folder, 'node_modules/@greeting')), [name])
      const others = readdirSync(join(consumer.folder, 'node_modules'))
      assert.deepEqual(
        others.filter((one) => !one.startsWith('.')),
        ['@greeting', ...outside],
      )
    })

    it(`${isBundled ? 'contains modules with their maps and license terms' : 'contains the module, declarations and map of each source file'}, and no other file`, () => {
      const source = filesIn(join(root, path, 'src'))
      // Files of a page, such as its style sheet, are served as they are.
      const modulesOf = (file: string) =>
        ['.d.ts', '.js', '.js.map'].map((end) => `lib/${file.replace(/\.ts$/, end)}`)
      const filesOf = (file: string) =>
        file.endsWith('.ts') ? [`src/${file}`, ...modulesOf(file)] : [`lib/${file}`]
      const own = filesIn(installed).filter(
        (file) => !(isBundled ? bundledFile : commonJsFile).test(file),
      )
      const expected = [
        ...(isBundled ? ['LICENSES.txt', 'sbom.cdx.json'] : source.flatMap(filesOf)),
        ...(existsSync(join(root, path, 'bin'))
          ? filesIn(join(root, path, 'bin')).map((file) => `bin/${file}`)
          : []),
        ...(name === 'cli' ? ['services/greeting-api/registrations.json'] : []),
        ...(commonJsPackages.includes(name) ? ['commonjs/package.json'] : []),
        // The terms of a library that the CommonJS modules contain.
        ...(name === 'client' ? ['commonjs/LICENSES'] : []),
        'LICENSE',
        'README.md',
        'package.json',
      ]
      assert.deepEqual(own, expected.toSorted())
    })

    it('lists each registry package that its modules import, with its license terms', () => {
      if (!isBundled) return
      const named = filesIn(join(installed, 'lib'))
        .filter((file) => file.endsWith('.map'))
        .flatMap((file) => JSON.parse(readFileSync(join(installed, 'lib', file), 'utf8')).sources)
        .flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [])
      const bill = JSON.parse(readFileSync(join(installed, 'sbom.cdx.json'), 'utf8'))
      const listed = bill.components.map((one: { name: string }) => one.name)
      const terms = readFileSync(join(installed, 'LICENSES.txt'), 'utf8')
      assert.ok(named.includes('zod'))
      for (const one of named) assert.ok(listed.includes(one), one)
      for (const { name, version, hashes } of bill.components) {
        assert.ok(terms.includes(`${name} ${version} (`), name)
        assert.equal(hashes[0].alg, 'SHA-512')
      }
    })

    it('refers only to files that it contains, and its maps contain or reference the source', () => {
      const { exports, main = [], types = [], typesVersions = {} } = manifest()
      const entries: ExportsEntry[] = [exports, main, types, typesVersions]
      for (const file of entries.flatMap(filesOfEntry)) {
        assert.ok(existsSync(join(installed, file)), file)
      }
      for (const file of filesIn(installed).filter((one) => one.endsWith('.map'))) {
        const { sources, sourcesContent = [] } = JSON.parse(
          readFileSync(join(installed, file), 'utf8'),
        )
        for (const [index, source] of sources.entries())
          assert.ok(
            sourcesContent[index] ||
              source.includes('node_modules/') ||
              existsSync(join(installed, file, '..', source)),
            `${file}: ${source}`,
          )
      }
    })

    it('passes publint in strict mode', async () => {
      const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
      assert.deepEqual(messages, [])
    })

    it('has types that every resolution mode finds, with listed exceptions', async () => {
      const data = createPackageFromTarballData(readFileSync(tarballOf(name)))
      const { types, ...result } = await checkPackage(data)
      const problems = 'problems' in result ? result.problems : []
      const left = problems.filter((problem) => !(problem.kind in accepted))
      assert.deepEqual(left, [])
      const isEsOnly = problems.some(({ kind }) => kind === 'CJSResolvesToESM')
      assert.ok(
        !isEsOnly || !commonJsPackages.includes(name),
        'require() has declarations of its own',
      )
    })
  })
}

type ExportsEntry = string | { readonly [condition: string]: ExportsEntry }

const filesOfEntry = (entry: ExportsEntry): readonly string[] =>
  typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(filesOfEntry)

describe('every subpath', () => {
  const pages = ['docs', ...packages.map(({ path }) => path)]
    .flatMap((folder) =>
      filesIn(join(root, folder))
        .filter((file) => file.endsWith('.md') && !file.includes('dist/'))
        .map((file) => readFileSync(join(root, folder, file), 'utf8')),
    )
    .join('\n')
  const names = packages.map(({ name }) => name).join('|')
  const documented = new Set(
    [...pages.matchAll(new RegExp(`@greeting/(?:${names})(?:/[a-z-]+)*`, 'g'))].map(
      ([name]) => name,
    ),
  )
  const exported = packages.flatMap(({ name, path }) => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
    return Object.keys(exports).map((subpath) => `@greeting/${name}${subpath.slice(1)}`)
  })

  it('appears in a document', () => {
    assert.deepEqual(
      exported.filter((name) => !documented.has(name)),
      [],
    )
  })

  it('exists if a document names it', () => {
    const installable = packages.map(({ name }) => `@greeting/${name}`)
    assert.deepEqual(
      [...documented].filter((name) => ![...exported, ...installable].includes(name)),
      [],
    )
  })
})

/** Builds all packages, and returns the digest of each file. */
async function builtDigests(): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'greeting-rebuild-'))
  try {
    await buildPackages(root, (path) => join(folder, path))
    return Object.fromEntries(
      filesIn(folder).map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('two builds are identical, byte for byte', async () => {
  const [first, second] = [await builtDigests(), await builtDigests()]
  assert.ok(Object.keys(first).length > 400)
  assert.ok(Object.keys(first).includes('cli/lib/part-1-program.js'))
  assert.deepEqual(first, second)
})
