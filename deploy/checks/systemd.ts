import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mustRun } from '../../packed/program.ts'
import type { Check } from './check.ts'

/** The highest exposure that `systemd-analyze security` may compute, of 100. */
const maxExposure = 20

/** Lets systemd read each unit, and compute its exposure. It starts no service. */
export const systemd: Check = {
  name: 'systemd',
  programs: ['systemd-analyze'],
  run: async (root) => {
    const folder = mkdtempSync(join(tmpdir(), 'greeting-systemd-'))
    try {
      return readdirSync(join(root, 'deploy/systemd')).map((unit) => {
        const text = readFileSync(join(root, 'deploy/systemd', unit), 'utf8')
        const file = join(folder, unit)
        // systemd refuses a program that does not exist.
        writeFileSync(file, text.replace('/usr/bin/node', process.execPath))
        mustRun('systemd-analyze', ['verify', '--man=no', file], folder)
        const flags = ['--offline=true', '--no-pager', `--threshold=${maxExposure}`]
        const report = mustRun('systemd-analyze', ['security', ...flags, file], folder)
        return `${unit} is valid; its exposure is ${/: (\S+)/.exec(report.split('\n').at(-2) ?? '')?.[1]} of 10`
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}
