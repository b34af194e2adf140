import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { alertCases, healthy } from '../../observability/alert-cases.ts'
import {
  documentedMetrics,
  metricsIn,
  unfilteredMetrics,
} from '../../observability/metric-names.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Rule = {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: { readonly runbook_url: string }
}
const { groups } = parse(read('deploy/chart/files/rules.yaml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const page = read('docs/guides/operating.md')

describe('the rules for Prometheus', () => {
  it('have one case for each alert', () => {
    assert.deepEqual(
      alertCases.map(({ alert }) => alert).toSorted(),
      alerts.map(({ alert }) => alert).toSorted(),
    )
  })

  for (const { alert = '', labels, annotations } of alerts) {
    it(`${alert} has a severity, and a section in the guide`, () => {
      assert.match(labels?.severity ?? '', /^(page|ticket|info)$/)
      assert.ok(page.includes(`\n#### ${alert}\n`))
      assert.ok(
        annotations?.runbook_url.endsWith(`/docs/guides/operating.md#${alert.toLowerCase()}`),
      )
    })
  }

  it('have no section in the guide without an alert', () => {
    assert.equal(page.match(/^#### /gm)?.length, alerts.length)
  })

  it('keep the releases apart', () => {
    const expressions = rules.map(({ expr }) => expr)
    assert.deepEqual(
      expressions.flatMap((expr) => unfilteredMetrics(expr, 'release=~".*"')),
      [],
    )
    const merged = expressions.filter((expr) =>
      /\b(sum|max|min)\b(?! by \(namespace, release, job\b)/.test(expr),
    )
    assert.deepEqual(merged, [])
  })

  it('use metrics that the reference lists, and the cases do too', () => {
    const documented = documentedMetrics(root)
    const used = [...rules.map(({ expr }) => expr), ...Object.keys(healthy)].flatMap(metricsIn)
    assert.deepEqual(
      used.filter((name) => !documented.has(name)),
      [],
    )
  })
})
