import assert from 'node:assert/strict'
import { cpSync, mkdtempDisposableSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { releaseFaults } from '../../tools/release/release-faults.ts'
import { prepareRelease } from '../../tools/release/release-steps.ts'
import { billOfPackage } from './bill-of-package.ts'
import { Consumer } from './consumer.ts'
import { mustRun, npm, run, runtimes } from './program.ts'
import { tarballOf } from './tarball.ts'

describe('a release', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\n- One.\n\n## [1.1.0] - 2026-01-01\n'
  const rows: [title: string, version: string, changelog: string, faults: string[]][] = [
    ['is possible if the changelog has a section for its version', '1.2.0', changelog, []],
    [
      'is refused without a section',
      '1.3.0',
      changelog,
      ['CHANGELOG.md has no section ## [1.3.0]'],
    ],
    [
      'is refused without a date',
      '1.2.0',
      changelog.replace(' - 2026-01-02', ''),
      ['the section 1.2.0 has no date'],
    ],
    ['is refused with an empty section', '1.1.0', changelog, ['the section 1.1.0 is empty']],
    [
      'is refused if its version has another format',
      '1.2',
      changelog,
      ['the version 1.2 is not MAJOR.MINOR.PATCH', 'CHANGELOG.md has no section ## [1.2]'],
    ],
  ]
  for (const [title, version, text, faults] of rows)
    it(title, () => assert.deepEqual(releaseFaults(JSON.stringify({ version }), text), faults))
})

/** Prepares a release of one package with tools that do nothing, and returns what they were asked. */
async function prepared(failing?: string) {
  const asked: string[] = []
  const ask = (what: string) => {
    asked.push(what)
    if (what === failing) throw new Error(`${what} failed`)
  }
  const printed: string[] = []
  const result = prepareRelease({
    runScript: ask,
    build: async () => {
      ask('build')
      return [{ name: '@greeting/guard' }]
    },
    pack: () => {
      ask('pack')
      return new Map([['greeting-guard-1.0.0.tgz', 2049]])
    },
    writeBill: (name) => {
      ask(`list ${name}`)
      return 'greeting-guard.cdx.json'
    },
    writeExecutables: () => {
      ask('executables')
      return ['greeting-linux-x64']
    },
    progress: () => {},
    print: (line) => printed.push(line),
  })
  const error: unknown = await result.then(
    () => undefined,
    (cause) => cause,
  )
  return { asked, printed, error }
}

describe('the steps of a release', () => {
  const plan = ['check', 'build', 'pack', 'test:packages', 'list @greeting/guard', 'executables']

  it('produce the files that the workflow would publish', async () => {
    assert.deepEqual(await prepared(), {
      asked: plan,
      printed: [
        'npm stage publish greeting-guard-1.0.0.tgz --access public --provenance  (3 KB)',
        'upload greeting-guard.cdx.json',
        'upload greeting-linux-x64',
      ],
      error: undefined,
    })
  })

  for (const [index, step] of plan.entries()) {
    it(`stop if ${step} fails, and print nothing to publish`, async () => {
      const { asked, printed, error } = await prepared(step)
      assert.deepEqual(asked, plan.slice(0, index + 1))
      assert.deepEqual(printed, [])
      assert.match(String(error), /failed/)
    })
  }

  it('require the option --dry-run', () => {
    const file = join(import.meta.dirname, '../../tools/release/release.ts')
    const { status, stdout, stderr } = run(process.execPath, [file], import.meta.dirname)
    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /npm run release -- --dry-run/)
  })
})

describe('the CycloneDX list of a package', () => {
  it('names the package as its subject, and each dependency with its digest', () => {
    using consumer = new Consumer({ version: '0.0.0' }).install('guard')
    const text = npm(['sbom', '--sbom-format', 'cyclonedx'], consumer.folder)
    const bill = JSON.parse(billOfPackage(text, '@greeting/guard'))
    assert.equal(bill.bomFormat, 'CycloneDX')
    assert.equal(bill.metadata.component.name, '@greeting/guard')
    assert.deepEqual(
      bill.components.map((one: { name: string; hashes: { alg: string }[] }) => [
        one.name,
        one.hashes[0]?.alg,
      ]),
      [['zod', 'SHA-512']],
    )
    const refs = bill.dependencies.map(({ ref }: { ref: string }) => ref.replace(/@[^@]*$/, ''))
    assert.deepEqual(refs.toSorted(), ['@greeting/guard', 'zod'])
    assert.doesNotMatch(JSON.stringify(bill), /file:|consumer/)
  })

  it('is refused for a package that is not installed', () => {
    const bill = { metadata: { component: { 'bom-ref': 'a' } }, components: [], dependencies: [] }
    assert.throws(() => billOfPackage(JSON.stringify(bill), '@greeting/guard'), /does not contain/)
  })
})

describe('the source code in a tarball', () => {
  for (const [name, options] of [
    ['guard', ['--allow-slow-types']],
    ['client', []],
  ] as const)
    it(`of ${name} passes the JSR commands of the workflow`, () => {
      using temporary = mkdtempDisposableSync(join(tmpdir(), 'greeting-jsr-'))
      const folder = join(temporary.path, 'package')
      mustRun('tar', ['-xzf', tarballOf(name), '-C', temporary.path], temporary.path)
      rmSync(join(folder, 'package.json'))
      const manifest = join(dirname(tarballOf(name)), `greeting-${name}.jsr.json`)
      cpSync(manifest, join(folder, 'jsr.json'))
      const publish = ['publish', '--no-check', '--dry-run', '--allow-dirty', ...options]
      const environment = { DENO_DIR: join(temporary.path, 'deno') }
      const { status, stderr } = run(runtimes.Deno, publish, folder, environment)
      assert.equal(status, 0, stderr)
      assert.match(stderr, /src\/index\.ts/)
      assert.doesNotMatch(stderr, /package\.json|\/lib\//)
    })
})
