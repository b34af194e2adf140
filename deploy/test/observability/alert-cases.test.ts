import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { assertGenerated } from '../../../test/fixtures/generated-files.ts'
import { alertCases, healthy } from '../../observability/alert-cases.ts'
import { arrangements } from '../../observability/arrangements.ts'
import {
  documentedMetrics,
  metricsIn,
  unfilteredMetrics,
} from '../../observability/metric-names.ts'
import * as runbookPage from '../../observability/runbook-page.ts'
import { runbooks } from '../../observability/runbooks.ts'

const { alertRules, commandsOf, file, plainRules, text } = runbookPage

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const objectsOf = (example: string) =>
  parseAllDocuments(read(`deploy/chart/golden/${example}.yaml`))
    .map((one) => one.toJS())
    .filter(Boolean)
const objects = objectsOf('production')

const chartAlerts = arrangements.flatMap(({ firing = [] }) =>
  firing.filter(({ severity }) => severity).map(({ alert }) => alert),
)

describe('the Prometheus rules', () => {
  it('have one test case for each alert', () => {
    assert.deepEqual(
      [...alertCases.map(({ alert }) => alert), ...chartAlerts].toSorted(),
      alertRules.map(({ alert }) => alert).toSorted(),
    )
  })

  for (const { alert = '', labels, annotations } of alertRules) {
    it(`give ${alert} a severity and a runbook`, () => {
      assert.match(labels?.severity ?? '', /^(page|ticket|info)$/)
      assert.ok(text.includes(`\n## ${alert}\n`))
      assert.ok(annotations?.runbook_url.endsWith(`/${file}#${alert.toLowerCase()}`))
    })
  }

  it('separate the releases', () => {
    const expressions = plainRules.map(({ expr }) => expr)
    assert.deepEqual(
      expressions.flatMap((expr) => unfilteredMetrics(expr, 'release=~".*"')),
      [],
    )
    const merged = expressions.filter((expr) =>
      /\b(sum|max|min)\b(?! by \((namespace, release, job|instance, file)\b)/.test(expr),
    )
    assert.deepEqual(merged, [])
  })

  it('match existing labels, and only labels that the chart installs', () => {
    for (const [example, services] of [
      ['production', ['identity-provider', 'api']],
      ['api', ['api']],
    ] as const) {
      const rendered = objectsOf(example)
      const relabelings = rendered
        .filter(({ kind }) => kind === 'ServiceMonitor')
        .map(({ spec }) => spec.endpoints[0].relabelings)
      assert.deepEqual(
        relabelings,
        services.map((service) => [
          { targetLabel: 'job', replacement: `greeting-${service}` },
          { targetLabel: 'release', replacement: 'greeting' },
        ]),
      )
      const dashboards = rendered
        .flatMap(({ data = {} }) => Object.keys(data))
        .filter((name) => name.endsWith('.json'))
      assert.deepEqual(
        dashboards.filter((name) => name.startsWith('greeting-')).toSorted(),
        services.map((service) => `greeting-${service}.json`).toSorted(),
      )
      const { spec } = rendered.find(({ kind }) => kind === 'PrometheusRule')
      assert.match(
        JSON.stringify(spec),
        /absent\(up\{job=\\"greeting-api\\",namespace=\\"identity\\",release=\\"greeting\\"\}/,
      )
      assert.equal(JSON.stringify(spec).includes('identity-provider'), services.length > 1)
    }
  })

  it('use only documented metrics, also in their test cases', () => {
    const documented = documentedMetrics(root)
    const used = [...plainRules.map(({ expr }) => expr), ...Object.keys(healthy)].flatMap(metricsIn)
    assert.deepEqual(
      used.filter((name) => !documented.has(name)),
      [],
    )
  })
})

describe('the runbooks', () => {
  it('have one entry for each alert', () => {
    assertGenerated(runbookPage)
    assert.deepEqual(
      Object.keys(runbooks).toSorted(),
      alertRules.map(({ alert }) => alert).toSorted(),
    )
  })

  it('begin with commands for a shell, systemd and Kubernetes', () => {
    for (const alert of Object.keys(runbooks))
      assert.deepEqual(
        commandsOf(alert).map((commands) => commands.length > 0 && commands.every(Boolean)),
        [true, true, true],
        alert,
      )
  })

  it("name the chart's objects, labels and ports", () => {
    const commands = Object.keys(runbooks).flatMap((alert) => commandsOf(alert)[2] ?? [])
    const named = commands.flatMap((command) => [
      ...command.matchAll(/\b(deployment|cronjob|job|secret)[/ ](greeting-[a-z-]+)/g),
    ])
    assert.ok(named.length > 20)
    const rendered = objects.filter(Boolean).map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    // The job writes this Secret.
    for (const [, kind = '', name] of named)
      assert.ok(
        rendered.some((one) => one.toLowerCase() === `${kind}/${name}`) ||
          read('deploy/chart/golden/production.yaml').includes(`value: "${name}"`),
        `${kind}/${name}`,
      )
    const podsOf = (kind: string) =>
      objects
        .filter((one) => one?.kind === kind)
        .map(({ spec }) => (spec.jobTemplate?.spec ?? spec).template)
    const servers = podsOf('Deployment')
    const pods = [...servers, ...podsOf('CronJob')]
    for (const [, selector = ''] of commands.join('\n').matchAll(/--selector ([^\s;]+)/g)) {
      const labels = selector.split(',').map((label) => label.split('='))
      assert.ok(
        pods.some(({ metadata }) =>
          labels.every(([name = '', value]) => metadata.labels[name] === value),
        ),
        selector,
      )
    }
    for (const { spec } of servers) assert.match(JSON.stringify(spec), /"containerPort":9464\b/)
  })

  it('name systemd units that exist', () => {
    const commands = Object.keys(runbooks).flatMap((alert) => commandsOf(alert)[1] ?? [])
    const units = commands.flatMap((command) => [
      ...command.matchAll(/(?:--unit|systemctl status) (\S+)/g),
    ])
    assert.ok(units.length > 10)
    for (const [, unit] of units) assert.match(read(`deploy/systemd/${unit}.service`), /\[Unit\]/)
  })

  it('query only documented metrics', () => {
    const documented = [...documentedMetrics(root), 'process_cpu_seconds_total']
    for (const [alert, { commands }] of Object.entries(runbooks))
      for (const command of commands)
        if ('metrics' in command)
          for (const pattern of command.metrics.split(/\|(?![^(]*\))/)) {
            const start = new RegExp(`^(${pattern.replace(/\.\*.*/, '')})`)
            assert.ok(
              documented.some((name) =>
                ['', '_sum', '_count'].some((suffix) => start.test(name + suffix)),
              ),
              `${alert}: ${pattern}`,
            )
          }
  })
})
