import assert from 'node:assert/strict'
import { join } from 'node:path'
import { mustRun, run } from '../../packed/program.ts'
import type { Check } from './check.ts'

const variables = ['POSTGRES_PASSWORD', 'KEY_ENCRYPTION_KEY', 'GRAFANA_PASSWORD']

/** Lets Compose and Caddy read their files, without and with the secrets. */
export const compose: Check = {
  name: 'compose',
  programs: ['docker-compose', 'caddy'],
  run: async (root) => {
    const folder = join(root, 'deploy')
    const config = ['--env-file', '/dev/null', '--file', 'compose.yaml', 'config', '--format=json']
    const { status, stderr } = run('docker-compose', config, folder)
    assert.notEqual(status, 0)
    assert.match(stderr, /missing a value: write deploy\/\.env first, as docs/)
    const secrets = Object.fromEntries(variables.map((name) => [name, 'example']))
    const { services } = JSON.parse(mustRun('docker-compose', config, folder, secrets))
    const caddyfile = ['validate', '--adapter', 'caddyfile', '--config', 'compose/Caddyfile']
    mustRun('caddy', caddyfile, folder)
    return [
      `${Object.keys(services).length} services, and the Caddyfile, are valid`,
      'a missing secret is reported with its remedy',
    ]
  },
}
