import assert from 'node:assert/strict'
import { it } from 'node:test'
import { shareFound } from '../../../growth/cases/remembered.ts'

it('all callers in turn are found up to the capacity, and fewer beyond it', () => {
  assert.equal(shareFound(100, 100), 1)
  const beyond = shareFound(100, 150)
  assert.ok(beyond > 0 && beyond < 1, `${beyond}`)
})
