import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { refusalRows } from '@greeting/guard'
import { assertGenerated } from '../../../test/fixtures/generated-files.ts'
import { describeApi } from '../src/api-description.ts'
import * as reference from './reference.ts'

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
  it('lists the greetings, settings and metrics in the code', () => {
    assertGenerated(reference)
  })

  it('lists every route', () => {
    const addresses = { baseUrl: 'https://api.example', tokenUrl: 'https://as.example', scope: 'x' }
    const documented = ['Greetings', 'Routes']
      .flatMap(tableUnder)
      .map(([route = '']) => route.replace(/^GET |\?.*$/g, ''))
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
})
