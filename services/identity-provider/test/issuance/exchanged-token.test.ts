import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { graphAppId } from '@greeting/directory'
import { guid } from '../../../../test/fixtures/directory/sample.ts'
import { decideToken } from '../../src/issuance/token-decision.ts'
import { type Refusal, Refused } from '../../src/refusals/refusal.ts'
import {
  directoryOf,
  exchanged,
  federated,
  now,
  requestOf,
  rulesOf,
  type Situation,
  second,
} from './token-situation.ts'

const decide = (row: Situation) =>
  decideToken(
    directoryOf(row),
    requestOf(row),
    { rules: rulesOf(row), assertion: row.facts ?? {} },
    now,
  )

const graph = { api: { appId: graphAppId }, apiPrincipal: { appId: graphAppId } }

/** A tenant of the server that owns the application and the principal. */
const ofOtherTenant = (isEnabled: boolean) => ({
  client: { tenantId: guid(2) },
  presenter: { tenantId: guid(2) },
  presenterTenant: { id: guid(2), domains: [], isEnabled },
})

const refusedRows: readonly [what: string, row: () => Situation, Refusal['reason']][] = [
  [
    'a token whose client had a federated credential itself',
    () => exchanged({ claims: { xms_ficinfo: 'CAAQABgAIAAoAzAAOAE' } }),
    'federated_token_chained',
  ],
  [
    'a token that does not name the credential of its client',
    () => exchanged({ claims: { xms_ficinfo: undefined } }),
    'federated_token_chained',
  ],
  [
    'a token whose application is deleted',
    () => exchanged({ presenter: { appId: guid(9) } }),
    'federated_assertion_invalid',
  ],
  [
    'a token whose principal does not exist',
    () => exchanged({ presenter: { id: guid(9) } }),
    'federated_assertion_invalid',
  ],
  [
    'a token whose principal is in another tenant',
    () => exchanged({ presenter: { tenantId: guid(9) } }),
    'federated_assertion_invalid',
  ],
  [
    'a token whose principal is disabled',
    () => exchanged({ presenter: { accountEnabled: false } }),
    'federated_assertion_invalid',
  ],
  [
    'a token whose principal is deleted',
    () => exchanged({ presenter: { deletedDateTime: second(-1) } }),
    'federated_assertion_invalid',
  ],
  [
    'a token from a disabled tenant',
    () => exchanged(ofOtherTenant(false)),
    'federated_assertion_invalid',
  ],
  [
    'a token with a role of a management API that its principal lacks',
    () => exchanged(graph),
    'role_required',
  ],
]

describe('a token of this server as the assertion (AS32)', () => {
  for (const [what, row, reason] of refusedRows)
    it(`refuses ${what}: ${reason}`, () => {
      const decision = decide(row())
      assert.ok(decision instanceof Refused, 'a token was issued')
      assert.equal(decision.refusal.reason, reason)
    })

  const issuedRows: readonly [what: string, row: () => Situation][] = [
    ['of its own tenant', () => exchanged()],
    ['of another tenant that owns the application', () => exchanged(ofOtherTenant(true))],
  ]
  for (const [what, row] of issuedRows)
    it(`authenticates an application ${what}`, () => {
      const decision = decide(row())
      assert.ok(!(decision instanceof Refused), JSON.stringify(decision))
      assert.equal(decision.method, 'assertion')
      assert.equal(decision.credentialId, federated.id)
      assert.equal(decision.presenter?.id, guid(0xb3))
      assert.deepEqual(decision.roles, ['CallHiApiRole'])
    })
})
