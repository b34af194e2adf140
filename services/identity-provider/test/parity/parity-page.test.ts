import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parityFile, parityPage } from './parity-page.ts'

describe('docs/generated/parity.md', () => {
  it('is generated from the tables: npm run parity -w services/identity-provider', () => {
    assert.equal(readFileSync(parityFile, 'utf8'), parityPage())
  })
})
