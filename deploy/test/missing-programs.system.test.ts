import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { freePort } from '../../test/fixtures/free-port.ts'
import { freshFolder } from '../../test/fixtures/fresh-folder.ts'
import { run } from '../../test/packages/program.ts'

const folder = freshFolder()
const programs = {
  promtool: 'exit 1',
  helm: '',
  kubeconform: '',
  caddy: '',
  'docker-compose': 'echo 1.29.2',
  docker: `
    test "$1" = compose || exit 1
    test "$2" = version && echo 2.40.3 && exit
    test -n "$POSTGRES_PASSWORD" && echo '{"services":{"proxy":{}}}' && exit
    echo 'missing a value: write deploy/.env first, as docs' >&2
    exit 1`,
}
for (const [name, script] of Object.entries(programs))
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
const main = join(import.meta.dirname, '../main.ts')
// No proxy listens there, so the machine has no network.
const environment = {
  PATH: folder,
  NODE_USE_ENV_PROXY: '1',
  HTTPS_PROXY: `http://127.0.0.1:${await freePort()}`,
}
const checks = (...args: string[]) => run(process.execPath, [main, ...args], folder, environment)

it('the deployment checks name a missing program first, and run the other checks', () => {
  const { stdout, stderr } = checks('alerts', 'systemd')
  assert.match(stdout, /^left out: systemd\. It needs systemd-analyze \(apt-get/)
  assert.match(stderr, /^failed: alerts/)
})

it('the deployment checks run nothing with --all if a program is missing', () => {
  const { status, stdout, stderr } = checks('--all', 'alerts', 'systemd')
  assert.deepEqual([status, stderr], [1, ''])
  assert.match(stdout, /^left out: systemd/)
})

it('the deployment checks omit the public schemas without network access, and name an alternative', () => {
  const { status, stdout, stderr } = checks('chart-schemas')
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^left out: chart-schemas\..* or schemas in KUBERNETES_SCHEMAS/)
})

it("the deployment checks accept docker's Compose plugin", () => {
  const { status, stdout, stderr } = checks('--all', 'compose')
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^ok: compose: 1 services, /)
})
