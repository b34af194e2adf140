import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { mustRun } from '../../packed/program.ts'
import { alertCases, promtoolTests } from '../observability/alert-cases.ts'
import type { Check } from './check.ts'

/** Fires each alert once, and shows that healthy services fire none. */
export const alerts: Check = {
  name: 'alerts',
  programs: ['promtool'],
  run: async (root) => {
    const rules = join(root, 'deploy/chart/files/rules.yaml')
    mustRun('promtool', ['check', 'rules', rules], root)
    const folder = mkdtempSync(join(tmpdir(), 'greeting-alerts-'))
    try {
      const file = join(folder, 'rules.test.yaml')
      writeFileSync(file, stringify(promtoolTests(rules)))
      mustRun('promtool', ['test', 'rules', file], folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
    return [
      `each of ${alertCases.length} alerts fires for its fault, and none for healthy services`,
    ]
  },
}
