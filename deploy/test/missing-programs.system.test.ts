import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { run } from '../../packed/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'greeting-programs-'))
writeFileSync(join(folder, 'promtool'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
const main = join(import.meta.dirname, '../main.ts')
const checks = (...args: string[]) =>
  run(process.execPath, [main, ...args], folder, { PATH: folder })

it('names a missing program before the first check, and runs the other checks', () => {
  const { stdout, stderr } = checks('alerts', 'systemd')
  assert.match(stdout, /^left out: systemd\. It needs systemd-analyze \(apt-get/)
  assert.match(stderr, /^failed: alerts/)
})

it('runs no check with --all when a program is missing', () => {
  const { status, stdout, stderr } = checks('--all', 'alerts', 'systemd')
  assert.deepEqual([status, stderr], [1, ''])
  assert.match(stdout, /^left out: systemd/)
})
