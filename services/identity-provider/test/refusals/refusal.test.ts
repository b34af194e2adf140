import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { authenticationRefusalRows } from '../../src/refusals/authentication-refusal-rows.ts'
import {
  type AccessRefusal,
  type AuthenticationRefusal,
  type Refused,
  refuse,
} from '../../src/refusals/refusal.ts'
import type { RefusalRow } from '../../src/refusals/refusal-row.ts'
import { refusalTable } from '../../src/refusals/refusal-table.ts'

// Each line after `@ts-expect-error` must not compile, or `npm run check:types` fails.
describe('the types of the refusals', () => {
  it('keep a refusal of authentication out of the phases after it', () => {
    // @ts-expect-error
    const late: Refused<AccessRefusal> = refuse({ reason: 'client_public' })
    assert.equal(refusalTable[late.refusal.reason].phase, 'authentication')
  })

  it('keep a refusal of access out of authentication', () => {
    // @ts-expect-error
    const early: Refused<AuthenticationRefusal> = refuse({ reason: 'agent_path_missing' })
    assert.equal(refusalTable[early.refusal.reason].phase, 'access')
  })

  it('require each text of the sentence', () => {
    // @ts-expect-error
    assert.ok(refuse({ reason: 'secret_wrong' }))
  })

  it('require the phase of the table, and a decision about outages', () => {
    const { isOutage: _, ...row } = authenticationRefusalRows.client_public
    // @ts-expect-error
    const forgetful: RefusalRow<'authentication'> = row
    // @ts-expect-error
    const late: RefusalRow<'access'> = authenticationRefusalRows.client_public
    assert.equal(forgetful.code, late.code)
  })
})
