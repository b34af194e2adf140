import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { refusalRows } from '@greeting/guard'
import { createMetrics } from '@greeting/http-service/guard-metrics'
import { apiApplicationId, tenantId } from '../../../fixtures/signing-identity-provider.ts'
import { describeApi } from '../src/api-description.ts'
import { readSettings, settingNames } from '../src/settings.ts'

const page = readFileSync(
  join(import.meta.dirname, '../../../docs/reference/greeting-api.md'),
  'utf8',
)

/** The rows of the table under a heading, without code marks. */
function tableUnder(title: string): string[][] {
  const [, section = ''] = page.split(`\n## ${title}\n`)
  return section
    .split('\n## ', 1)
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.replaceAll('`', '')),
    )
}

describe('docs/reference/greeting-api.md', () => {
  it('lists every setting with its default', () => {
    const rows = tableUnder('Settings')
    assert.deepEqual(
      rows.map(([name]) => name),
      settingNames,
    )
    const defaults: Record<string, unknown> = readSettings({
      TENANT_ID: tenantId,
      API_APPLICATION_ID: apiApplicationId,
    })
    for (const [name = '', documented = ''] of rows) {
      if (documented === 'required')
        assert.throws(() => readSettings({ [name]: '' }), new RegExp(name))
      else if (defaults[name] !== undefined)
        assert.equal(documented, String(defaults[name] ?? 'off'))
    }
  })

  it('lists every route', () => {
    const addresses = { baseUrl: 'https://api.example', tokenUrl: 'https://as.example', scope: 'x' }
    const documented = tableUnder('Routes').map(([route = '']) => route.replace(/^GET |\?.*$/g, ''))
    assert.deepEqual(documented, Object.keys(describeApi(addresses).paths))
  })

  it('lists every error with its status', () => {
    const documented = new Set(
      tableUnder('Errors').map(([, status, error]) => `${status} ${error}`),
    )
    for (const { status, error } of Object.values(refusalRows)) {
      assert.ok(documented.has(`${status} ${error}`), `${status} ${error}`)
    }
  })

  it('lists every metric of the guard', async () => {
    const metrics = createMetrics()
    metrics.watch({ keySets: () => [], cachedTokens: () => 0 })
    const names = [
      ...(await metrics.registry.metrics()).matchAll(/^# TYPE ((?:greeting|http)_\w+) /gm),
    ]
    const documented = tableUnder('Metrics').map(([name = '']) => name.replace(/\{.*/, ''))
    assert.deepEqual(documented.toSorted(), names.map(([, name]) => name).toSorted())
  })
})
