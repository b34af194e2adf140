import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { graphOperations } from '../../../src/management/graph/graph-operations.ts'
import { serverOperations } from '../../../src/management/server/server-operations.ts'

const root = join(import.meta.dirname, '../../../../..')
const page = readFileSync(join(root, 'docs/evidence/security-authorization-server.md'), 'utf8')
const heading = '\n## Ways to a credential or a management role\n'
const rows = (page.split(heading)[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => line.slice(2, -2).split(' | '))

const operationsOfServer = serverOperations({
  keys: {} as never,
  audit: {} as never,
  findEndingCredentials: async () => [],
})

describe('the table of ways to a credential or a management role (AS32)', () => {
  it('includes exactly the operations that change the directory', () => {
    const listed = rows.flatMap(([way = '']) =>
      [...way.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, operation]) => operation),
    )
    const changing = [...graphOperations, ...operationsOfServer]
      .filter((operation) => 'action' in operation)
      .map(({ method, path }) => `${method} ${path.replace(/\/microsoft\.graph\.agent\w+/, '')}`)
    assert.deepEqual([...new Set(listed)].toSorted(), [...new Set(changing)].toSorted())
  })

  it('has a check and existing tests in each row', () => {
    assert.ok(rows.length > 0)
    for (const [way = '', check = '', tests = ''] of rows) {
      assert.notEqual(check, '', way)
      for (const test of tests.split(', '))
        assert.ok(
          [join(root, 'services/identity-provider/test', test), join(root, test)].some(existsSync),
          `${way}: ${test}`,
        )
    }
  })
})
