import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { faultsPage } from './faults/faults-page.ts'

describe('docs/evidence/faults-client.md', () => {
  it('matches the behavior (CL8; node packages/client/test/faults/write-page.ts writes it)', async () => {
    const page = readFileSync(
      join(import.meta.dirname, '../../../docs/evidence/faults-client.md'),
      'utf8',
    )
    assert.equal(await faultsPage(), page)
  })
})
