import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { assertGenerated } from '../../../test/fixtures/generated-files.ts'
import { createApp } from '../src/app.ts'
import { testService } from './endpoints/test-service.ts'
import * as optionsType from './options-type.ts'
import * as reference from './reference.ts'
import * as clientRemedies from './refusals/client-remedies.ts'
import * as doctorChecks from './refusals/doctor-checks.ts'

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

for (const generated of [reference, optionsType, clientRemedies, doctorChecks]) {
  it(`${generated.file} matches the code`, () => {
    assertGenerated(generated)
  })
}

describe('docs/reference/identity-provider.md', () => {
  it('has one row for each route outside the management APIs', async () => {
    const { options } = await testService({ acceptsMcpClients: true })
    const routes = createApp(options).routes.map(({ method, path }) =>
      method === 'ALL' ? '' : `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    const served = routes.filter((route) => route !== '' && !route.startsWith('OPTIONS'))
    const documented = tableUnder('Routes').map(([route = '']) => code(route))
    assert.deepEqual([...new Set(served)].toSorted(), documented.toSorted())
  })
})
