import assert from 'node:assert/strict'
import { mustRun } from '../../packed/program.ts'
import type { Check } from './check.ts'

const test = 'services/identity-provider/test/storage/postgres/limited-client.system.test.ts'

/** Runs the tests of the storage through PgBouncer in transaction mode. `npm test` has a stand-in for it. */
export const pooler: Check = {
  name: 'pooler',
  programs: ['pgbouncer'],
  run: async (root) => {
    const output = mustRun(process.execPath, ['--test', '--test-reporter=tap', test], root, {
      PGBOUNCER: 'pgbouncer',
    })
    const passed = Number(/^# pass (\d+)$/m.exec(output)?.[1])
    assert.ok(passed > 100, `only ${passed} tests ran`)
    return [`${passed} tests of the storage, the time limits and the sessions passed`]
  },
}
