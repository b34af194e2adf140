import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { root } from '../greeting-process.ts'
import { type Settings, type SharedSystem, sharedSystem } from '../shared-system.ts'
import { ClientPage, type Section } from './client-page.ts'
import { type HostedRuns, type ProgramRun, runModules, runSection } from './program-run.ts'
import { prepareSituations, type Refusal, refusals, type Situations } from './situations.ts'

/** The path of the page that lists the clients. */
export const index = readFileSync(join(root, 'docs/guides/clients/README.md'), 'utf8')
const processesAtOnce = 4

/** A section of a page, with the settings of one situation. */
type Case = {
  readonly section: Section
  /** The refusal that the settings cause. Without it, the API accepts the token. */
  readonly refusal: Refusal | undefined
}

/** Each section once with good settings, and each refusal in the section with the fewest that uses the wrong setting. */
function casesOf({ sections }: ClientPage): Case[] {
  const cases: Case[] = sections.map((section) => ({ section, refusal: undefined }))
  const countOf = (section: Section) => cases.filter((one) => one.section === section).length
  for (const refusal of refusals) {
    const [section] = sections
      .filter(({ shell, module }) => `${shell}${module}`.includes(refusal.concerns))
      .toSorted((some, others) => countOf(some) - countOf(others))
    if (section !== undefined) cases.push({ section, refusal })
  }
  return cases
}

/** A client, the file of its page, and what its programs print. */
type Client = { readonly name: string; readonly file: string; readonly prints: string }

/**
 * Tests the lines of the pages of some clients.
 *
 * @param modules the folder `node_modules` that has their packages
 */
export function testClients(rows: readonly Client[], modules: string): void {
  const clients = rows.map(({ name, file, prints }) => ({
    page: new ClientPage(name, file),
    prints,
  }))
  const cases = new Map(clients.map(({ page }) => [page, casesOf(page)]))

  /** The cases without lines of a shell. Their modules run in one process. */
  const hosted = [...cases.values()]
    .flat()
    .filter(({ section: { shell, module } }) => shell === '' && module !== undefined)

  let system: SharedSystem
  let situations: Situations
  let folder: string
  let hostedRuns: HostedRuns
  let preparing: Promise<void> | undefined

  /** Registers the situations, and runs the modules, before the first tests that need them. */
  const prepare = () => {
    preparing ??= (async () => {
      system = await sharedSystem()
      situations = await prepareSituations(system)
      folder = await mkdtemp(join(system.folder, 'clients-'))
      await symlink(modules, join(folder, 'node_modules'))
      const programs = hosted.map((one) => ({
        module: one.section.module ?? '',
        settings: settingsOf(one),
      }))
      hostedRuns = await runModules(programs, situations.good, folder)
    })()
    return preparing
  }

  const settingsOf = ({ refusal }: Case): Settings =>
    refusal === undefined ? situations.good : situations.wrong[refusal.what]

  const run = (section: Section, settings: Settings) => runSection(section, settings, folder)

  const runOf = async (one: Case): Promise<ProgramRun> =>
    hosted.includes(one)
      ? (hostedRuns.runs[hosted.indexOf(one)] ?? hostedRuns.process)
      : run(one.section, settingsOf(one))

  for (const { page, prints } of clients) {
    describe(`the lines of docs/guides/clients/${page.link}`, {
      concurrency: processesAtOnce,
    }, () => {
      before(prepare)

      for (const one of cases.get(page) ?? []) {
        const { heading } = one.section
        if (one.refusal === undefined) {
          it(`${heading}: obtain a token that the API accepts`, async () => {
            const { stdout, stderr, exitCode } = await runOf(one)
            assert.deepEqual(
              { stdout: stdout.trim(), stderr, exitCode },
              { stdout: prints, stderr: '', exitCode: 0 },
            )
          })
          continue
        }

        const { what, code } = one.refusal
        it(`${heading}: report ${code} when ${what}`, async () => {
          const { stdout, stderr } = await runOf(one)
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

      it('describe every failure that this test causes', () => {
        const known = refusals.map(({ what }): string => what)
        assert.deepEqual(
          [...page.complaints.keys()].filter((what) => !known.includes(what)),
          [],
        )
      })
    })
  }

  describe('the test process of the modules', () => {
    before(prepare)

    it('exits without a warning', () => {
      const { stderr, exitCode } = hostedRuns.process
      assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 })
    })
  })

  it('the list names the tested versions, and each page names its package', () => {
    for (const { page } of clients) {
      const { name } = page
      if (name === 'curl') continue
      const manifest = join(modules, name, 'package.json')
      const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
      assert.ok(page.text.includes(`npm install ${name}\n`), page.name)
      assert.ok(index.includes(`| [${name}](${page.link}) | ${version} |`), `${name} is ${version}`)
    }
  })
}
