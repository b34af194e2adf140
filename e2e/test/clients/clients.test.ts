import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { root } from '../greeting-process.ts'
import { type Settings, type SharedSystem, sharedSystem } from '../shared-system.ts'
import { ClientPage, type Section } from './client-page.ts'
import { runSection } from './program-run.ts'
import { prepareSituations, type Refusal, refusals, type Situations } from './situations.ts'

const clients = [
  { page: 'msal-node', package: '@azure/msal-node', prints: '200 Hi' },
  { page: 'azure-identity', package: '@azure/identity', prints: '200 Hi' },
  { page: 'openid-client', package: 'openid-client', prints: '200 Hi' },
  { page: 'oauth4webapi', package: 'oauth4webapi', prints: '200 Hi' },
  { page: 'curl', package: undefined, prints: 'Hi' },
].map((client) => ({ ...client, page: new ClientPage(client.page) }))

const index = new ClientPage('README')
const programsAtOnce = 4

let system: SharedSystem
let situations: Situations
let preparing: Promise<void> | undefined

/** Registers the situations before the first tests that need them. */
const prepare = () => {
  preparing ??= (async () => {
    system = await sharedSystem()
    situations = await prepareSituations(system)
  })()
  return preparing
}

const run = (section: Section, settings: Settings) => runSection(section, settings, system.folder)

/**
 * Assigns each refusal to one section of a page that uses the wrong setting. Each section gets one or
 * more: the output of a refusal depends on the package, and each run loads the package again.
 */
function assignRefusals({ sections }: ClientPage) {
  const assigned = new Map(sections.map((section) => [section, [] as Refusal[]]))
  for (const refusal of refusals) {
    const [fewest] = [...assigned]
      .filter(([{ shell, module }]) => `${shell}${module}`.includes(refusal.concerns))
      .toSorted(([, some], [, others]) => some.length - others.length)
    fewest?.[1].push(refusal)
  }
  return assigned
}

for (const { page, prints } of clients) {
  describe(`the lines of docs/guides/clients/${page.name}.md`, {
    concurrency: programsAtOnce,
  }, () => {
    before(prepare)

    const refusalsOf = assignRefusals(page)
    for (const section of page.sections) {
      it(`${section.heading}: obtain a token that the API accepts`, async () => {
        const { stdout, stderr, exitCode } = await run(section, situations.good)
        assert.deepEqual(
          { stdout: stdout.trim(), stderr, exitCode },
          { stdout: prints, stderr: '', exitCode: 0 },
        )
      })

      for (const { what, code } of refusalsOf.get(section) ?? []) {
        it(`${section.heading}: report ${code} when ${what}`, async () => {
          const { stdout, stderr } = await run(section, situations.wrong[what])
          const seen = stdout + stderr
          const promised = page.complaints.get(what)
          assert.ok(promised, `the page has no output for the case that ${what}`)
          assert.ok(seen.includes(code), `no ${code} in ${seen}`)
          assert.ok(
            seen.includes(promised),
            `the page promises ${promised}, but the output is: ${seen}`,
          )
          for (const secret of situations.secrets) assert.ok(!seen.includes(secret))
          assert.doesNotMatch(seen, /eyJ[\w-]+\.eyJ/, 'no token is printed')
        })
      }
    }

    it('describe no failure that this test does not cause', () => {
      const known = refusals.map(({ what }): string => what)
      assert.deepEqual(
        [...page.complaints.keys()].filter((what) => !known.includes(what)),
        [],
      )
    })
  })
}

describe('docs/guides/clients/README.md', () => {
  before(prepare)

  it('loads the settings of the system into a shell', async () => {
    const [, line = ''] = /^(set -a; .*)$/m.exec(index.text) ?? []
    const shell = { shell: `${line}\nenv`, module: undefined, heading: '' }
    const { stdout } = await run(shell, {})
    const lines = stdout.split('\n')
    for (const [name, value] of Object.entries(system.clientSettings))
      assert.ok(lines.includes(`${name}=${value}`), name)
  })

  it('names the tested versions, and each page names its package', () => {
    for (const { page, package: name } of clients) {
      if (name === undefined) continue
      const manifest = join(root, 'node_modules', name, 'package.json')
      const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
      assert.ok(page.text.includes(`npm install ${name}\n`), page.name)
      assert.ok(
        index.text.includes(`| [${name}](${page.name}.md) | ${version} |`),
        `${name} is ${version}`,
      )
    }
  })

  it('names every refusal with its code', () => {
    for (const { what, code } of refusals)
      assert.match(index.text, RegExp(`^\\| ${what} \\| .*${code}`, 'm'))
  })
})
