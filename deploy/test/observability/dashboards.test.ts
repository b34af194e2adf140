import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { dashboardPage } from '../../observability/dashboard-page.ts'
import { dashboards, grafanaDashboard } from '../../observability/dashboards.ts'
import { documentedMetrics, metricsIn } from '../../observability/metric-names.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(root, 'deploy/chart/files/dashboards')

describe('the dashboards', () => {
  it('are one file each, which `node deploy/observability/main.ts` writes', () => {
    assert.deepEqual(
      readdirSync(folder).toSorted(),
      dashboards.map(({ id }) => `${id}.json`).toSorted(),
    )
    for (const dashboard of dashboards)
      assert.deepEqual(
        JSON.parse(readFileSync(join(folder, `${dashboard.id}.json`), 'utf8')),
        grafanaDashboard(dashboard),
      )
  })

  it('use metrics that the reference lists', () => {
    const panels = dashboards.flatMap(({ rows }) => rows.flatMap((row) => row.panels))
    const used = panels.flatMap(({ queries }) => queries.flatMap(({ expr }) => metricsIn(expr)))
    const documented = documentedMetrics(root)
    // prom-client adds its metrics of every process, which the page of prom-client lists.
    const others = used.filter((name) => !documented.has(name) && !name.startsWith('process_'))
    assert.deepEqual(others, [])
  })

  it('place no panel upon another', () => {
    for (const dashboard of dashboards) {
      const { panels } = grafanaDashboard(dashboard) as {
        panels: { gridPos: { x: number; y: number } }[]
      }
      const places = panels.map(({ gridPos: { x, y } }) => `${x},${y}`)
      assert.equal(new Set(places).size, places.length)
    }
  })
})

it('dashboardPage draws each series, and escapes its name', () => {
  const [panel] = dashboards[0]?.rows[0]?.panels ?? []
  assert.ok(panel)
  const series = [
    {
      name: '<b>',
      values: [
        [0, 1],
        [1, 2],
      ] as const,
    },
  ]
  const page = dashboardPage('Title', [{ panel, series }])
  assert.equal(page.match(/<polyline/g)?.length, 1)
  assert.ok(page.includes('&#60;b&#62;'))
})
