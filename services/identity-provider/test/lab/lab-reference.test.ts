import assert from 'node:assert/strict'
import { it } from 'node:test'
import { referencePage } from './reference-page.ts'

it('the reference page has the tables of the lab: npm run generate', async () => {
  const { is, must } = await referencePage()
  assert.equal(is, must)
})
