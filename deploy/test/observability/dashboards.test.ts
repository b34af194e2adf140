import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { dashboards, graphsOf } from '../../observability/dashboards.ts'
import {
  documentedMetrics,
  metricsIn,
  unfilteredMetrics,
} from '../../observability/metric-names.ts'

const documented = documentedMetrics(join(import.meta.dirname, '../../..'))

for (const [file, dashboard] of dashboards) {
  describe(`the dashboard ${file}`, () => {
    it('has the name of its file', () => {
      assert.equal(`${dashboard.uid}.json`, file)
    })

    it('uses only documented metrics', () => {
      const used = dashboard.panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) => metricsIn(expr)),
      )
      assert.notEqual(used.length, 0)
      // prom-client adds its metrics of every process, which the page of prom-client lists.
      const others = used.filter((name) => !documented.has(name) && !name.startsWith('process_'))
      assert.deepEqual(others, [])
    })

    it('shows only the selected namespaces and releases', () => {
      const filter = 'namespace=~"$namespace",release=~"$release"'
      const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets)
      assert.deepEqual(
        expressions.flatMap(({ expr }) => unfilteredMetrics(expr, filter)),
        [],
      )
      assert.deepEqual(
        dashboard.templating.list.map(({ name }) => name),
        ['datasource', 'namespace', 'release'],
      )
    })

    it('has no overlapping panels', () => {
      const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x},${y}`)
      assert.equal(new Set(places).size, places.length)
    })

    it('describes each graph, with a unit and the selected data source', () => {
      for (const { title, description = '', datasource, fieldConfig } of graphsOf(dashboard)) {
        assert.match(description, /\.$/, title)
        assert.equal(datasource?.uid, '$datasource', title)
        assert.match(fieldConfig?.defaults.unit ?? '', /^[a-z]+$/, title)
      }
    })
  })
}
