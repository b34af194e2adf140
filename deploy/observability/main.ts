import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dashboards, grafanaDashboard } from './dashboards.ts'

// `node deploy/observability/main.ts`: writes the dashboards in the format of Grafana.

const folder = join(import.meta.dirname, '../chart/files/dashboards')
mkdirSync(folder, { recursive: true })
for (const dashboard of dashboards) {
  const text = `${JSON.stringify(grafanaDashboard(dashboard), null, 2)}\n`
  writeFileSync(join(folder, `${dashboard.id}.json`), text)
}
