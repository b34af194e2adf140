import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { mustRun, run } from '../../test/packages/program.ts'
import { alertCases, faultTests } from '../observability/alert-cases.ts'
import { arrangements, arrangementTest, type Release } from '../observability/arrangements.ts'
import { kubernetesVersion } from './chart.ts'
import type { Check } from './check.ts'

// Programs of the field read the files that operators get.

/** Fires each alert once, and shows that healthy services fire none, in all arrangements of the chart. */
export const alerts: Check = {
  name: 'alerts',
  programs: ['promtool', 'helm'],
  run: async (root) => {
    const folder = mkdtempSync(join(tmpdir(), 'greeting-alerts-'))
    const testRules = (rules: readonly string[], tests: readonly object[]) => {
      const file = join(folder, 'rules.test.yaml')
      writeFileSync(file, stringify({ rule_files: rules, evaluation_interval: '1m', tests }))
      mustRun('promtool', ['test', 'rules', file], folder)
    }
    try {
      const rules = join(root, 'deploy/chart/files/rules.yaml')
      mustRun('promtool', ['check', 'rules', rules], root)
      testRules([rules], faultTests())
      for (const arrangement of arrangements) {
        const rendered = arrangement.releases.map((release, index) => {
          const file = join(folder, `${index}.yaml`)
          writeFileSync(file, renderedRules(root, release))
          return file
        })
        mustRun('promtool', ['check', 'rules', ...rendered], root)
        testRules(rendered, [arrangementTest(arrangement)])
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
    return [
      `each of ${alertCases.length} alerts fires for its fault, and none for healthy services`,
      `in each of ${arrangements.length} arrangements of the chart, only the expected alerts fire`,
    ]
  },
}

/** The rules that the chart installs with a release. */
function renderedRules(root: string, { namespace, release, set = [] }: Release): string {
  const chart = join(root, 'deploy/chart')
  const fixed = ['--namespace', namespace, '--kube-version', kubernetesVersion]
  const values = ['--values', join(chart, 'examples/minimal.yaml')]
  const sets = [...set, 'prometheusRule.enabled=true'].flatMap((one) => ['--set', one])
  const only = ['--show-only', 'templates/monitoring.yaml']
  const text = mustRun(
    'helm',
    ['template', release, chart, ...fixed, ...values, ...sets, ...only],
    root,
  )
  return stringify(parse(text).spec)
}

const variables = ['POSTGRES_PASSWORD', 'KEY_ENCRYPTION_KEY', 'GRAFANA_PASSWORD']

/** Compose 2 or newer is a plugin of docker, or a program of its own. */
const composeCommands = [['docker', 'compose'], ['docker-compose']]

const composeCommand = () =>
  composeCommands.find(([program = '', ...args]) => {
    return /^v?[2-9]/.test(
      run(program, [...args, 'version', '--short'], import.meta.dirname).stdout,
    )
  })

/** Lets Compose and Caddy read their files, without and with the secrets. */
export const compose: Check = {
  name: 'compose',
  programs: ['caddy'],
  lacks: async () => (composeCommand() ? undefined : 'docker compose (the plugin of docker)'),
  run: async (root) => {
    const folder = join(root, 'deploy')
    const [docker = '', ...plugin] = composeCommand() ?? []
    const config = [
      ...plugin,
      '--env-file',
      '/dev/null',
      '--file',
      'compose.yaml',
      'config',
      '--format=json',
    ]
    const { status, stderr } = run(docker, config, folder)
    assert.notEqual(status, 0)
    assert.match(stderr, /missing a value: write deploy\/\.env first, as docs/)
    const secrets = Object.fromEntries(variables.map((name) => [name, 'example']))
    const { services } = JSON.parse(mustRun(docker, config, folder, secrets))
    const caddyfile = ['validate', '--adapter', 'caddyfile', '--config', 'compose/Caddyfile']
    mustRun('caddy', caddyfile, folder)
    return [
      `${Object.keys(services).length} services, and the Caddyfile, are valid`,
      'a missing secret is reported with its remedy',
    ]
  },
}

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
