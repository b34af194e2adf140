import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createApp } from '../src/app.ts'
import { refusalTable } from '../src/dialect/refusals/refusal-table.ts'
import { createMetrics } from '../src/metrics/metrics.ts'
import { readSettings, settingNames } from '../src/settings.ts'
import { testService } from './http/test-service.ts'
import { sampleSources } from './metrics/sample-sources.ts'

const page = readFileSync(
  join(import.meta.dirname, '../../../docs/reference/identity-provider.md'),
  'utf8',
)

/** The rows of the table under a heading, as cells. */
function tableUnder(heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|---'))
    .slice(1)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))
}

const code = (text: string) => text.replaceAll('`', '')

describe('docs/reference/identity-provider.md', () => {
  it('has one row for each setting', () => {
    const documented = tableUnder('Settings').map(([name = '']) => code(name))
    assert.deepEqual(documented.toSorted(), settingNames.toSorted())
  })

  it('contains the default of each setting', () => {
    const defaults: Readonly<Record<string, unknown>> = readSettings({})
    for (const [name = '', documented = ''] of tableUnder('Settings')) {
      const value = defaults[code(name)]
      // Words describe a setting without a default, and a port that depends on another one.
      if (!/^`[^`]*`$/.test(documented)) continue
      const read = readSettings({ [code(name)]: code(documented) }) as Record<string, unknown>
      assert.deepEqual(read[code(name)], value, name)
    }
  })

  it('has one row for each route outside the management APIs', async () => {
    const { options } = await testService()
    const routes = createApp(options).routes.map(({ method, path }) =>
      method === 'ALL' ? '' : `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    const served = routes.filter((route) => route !== '' && !route.startsWith('OPTIONS'))
    const documented = tableUnder('Routes').map(([route = '']) => code(route))
    assert.deepEqual([...new Set(served)].toSorted(), documented.toSorted())
  })

  it('has one row for each metric, with its labels', async () => {
    const { registry, watch } = createMetrics()
    watch(sampleSources())
    const described = (await registry.getMetricsAsJSON()).filter(
      ({ name }) => name.startsWith('greeting_') || name.startsWith('http_'),
    )
    const names = described.map(({ name }) => {
      const metric = registry.getSingleMetric(name) as unknown as { labelNames: string[] }
      return metric.labelNames.length === 0 ? name : `${name}{${metric.labelNames.join(',')}}`
    })
    const documented = tableUnder('Metrics').map(([name = '']) => code(name))
    // The primary process counts the workers.
    const ofWorkers = ['greeting_workers', 'greeting_worker_replacements_total']
    assert.deepEqual(documented.toSorted(), [...names, ...ofWorkers].toSorted())
  })

  it('has one row for each refusal', () => {
    const rows = Object.entries(refusalTable).map(([reason, row]) => [
      String(row.code),
      String(row.status),
      row.error,
      reason,
      row.hasErrorUri ? 'yes' : 'no',
      code(row.remedy),
    ])
    assert.deepEqual(
      tableUnder('Refusals').map((cells) => cells.map(code)),
      rows,
    )
  })
})
