import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createPassword, systemRuntime } from '@greeting/directory'
import { appRole, guid } from '../../../../test/fixtures/directory/sample.ts'
import {
  certificateOf,
  unsafeKeys,
} from '../../../../test/fixtures/directory/unsafe-certificates.ts'
import { decideToken, type TokenDecision } from '../../src/issuance/token-decision.ts'
import { accessRefusalRows } from '../../src/refusals/access-refusal-rows.ts'
import { authenticationRefusalRows } from '../../src/refusals/authentication-refusal-rows.ts'
import { type Refusal, Refused } from '../../src/refusals/refusal.ts'
import { agentRefusals } from './agent-situation.ts'
import {
  apiId,
  audience,
  certificate,
  clientId,
  directoryOf,
  epochSeconds,
  exchanged,
  federated,
  mapped,
  now,
  ofIssuer,
  password,
  requestOf,
  rulesOf,
  type Situation,
  second,
  tenantId,
  trustsExpression,
  unaffectedByMapping,
} from './token-situation.ts'

let weakCertificate: Uint8Array

function decide(row: Situation) {
  const assertion = row.facts ?? { signature: 'valid', isFirstUse: true }
  const facts = { rules: rulesOf(row), assertion }
  return decideToken(directoryOf(row), requestOf(row), facts, now)
}

const disabled = { clientPrincipal: { accountEnabled: false } }
const wrong = { request: { secret: 'wrong' } }
const otherResource = { request: { resourceParameter: 'api://other' } }
const publicClient = { isFallbackPublicClient: true }
const toSignWith = { ...certificate, certificate: new Uint8Array() }
const tls = certificate.sha256Thumbprint
const passwords = (part: object) => ({ passwordCredentials: [{ ...password, ...part }] })
const keys = (part: object) => ({ keyCredentials: [{ ...certificate, ...part }] })

const ofTenant = (id: string) => ({ clientPrincipal: null, client: { tenantId: id } })

type Row = [what: string, row: () => Situation, reason: Refusal['reason']]

const refusedRows: readonly Row[] = [
  ['an unknown tenant', () => ({ request: { tenant: guid(9) } }), 'tenant_unknown'],
  ['a disabled tenant', () => ({ tenant: { isEnabled: false } }), 'tenant_unknown'],
  ['an unknown client', () => ({ request: { clientId: guid(9) } }), 'client_unknown'],
  [
    'a client without a service principal',
    () => ({ clientPrincipal: null }),
    'service_principal_missing',
  ],
  [
    'a wrong secret without a service principal',
    () => ({ clientPrincipal: null, ...wrong }),
    'secret_wrong',
  ],
  ['a client of another tenant', () => ofTenant(guid(9)), 'client_unknown'],
  ['a client ID that is no GUID', () => ({ request: { clientId: 'undefined' } }), 'client_unknown'],
  ['a deleted client', () => ({ client: { deletedDateTime: second(-1) } }), 'client_unknown'],
  ['a public client', () => ({ client: publicClient }), 'client_public'],
  ['a disabled client', () => disabled, 'client_disabled'],
  ['a wrong secret of a disabled client', () => ({ ...disabled, ...wrong }), 'secret_wrong'],

  ['a wrong secret', () => wrong, 'secret_wrong'],
  ['a client without secrets', () => ({ client: { passwordCredentials: [] } }), 'secret_wrong'],
  [
    'a secret that is not valid yet',
    () => ({ client: passwords({ startDateTime: second(61) }) }),
    'secret_not_yet_valid',
  ],
  [
    'a secret that expires now',
    () => ({ client: passwords({ endDateTime: now }) }),
    'secret_expired',
  ],
  [
    'a correct secret when secrets are disabled',
    () => ({ client: { passwordAuthenticationAllowed: false } }),
    'secret_not_allowed',
  ],

  ['an unknown TLS certificate', () => ({ tls: 'other' }), 'assertion_key_unknown'],
  [
    'a public client with a TLS certificate',
    () => ({ tls, client: publicClient }),
    'client_public',
  ],
  [
    'a TLS certificate without a service principal',
    () => ({ tls, clientPrincipal: null }),
    'service_principal_missing',
  ],

  ['an assertion that is no JWT', () => ({ assertion: 'a.b' }), 'assertion_malformed'],
  [
    'an assertion without exp',
    () => ({ assertion: { claims: { exp: undefined } } }),
    'assertion_claim_missing',
  ],
  [
    'an assertion with HS256',
    () => ({ assertion: { header: { alg: 'HS256' } } }),
    'assertion_algorithm_unsupported',
  ],
  [
    'an access token as an assertion',
    () => ({ assertion: { header: { typ: 'at+jwt' } } }),
    'assertion_type_unsupported',
  ],
  [
    'an assertion without a key name',
    () => ({ assertion: { header: { 'x5t#S256': undefined } } }),
    'assertion_key_missing',
  ],
  [
    'an assertion of another issuer',
    () => ({ assertion: { claims: { iss: guid(9) } } }),
    'assertion_client_wrong',
  ],
  [
    'an assertion for another subject',
    () => ({ assertion: { claims: { sub: guid(9) } } }),
    'assertion_client_wrong',
  ],
  [
    'an assertion for another audience',
    () => ({ assertion: { claims: { aud: 'https://other.test' } } }),
    'assertion_audience_wrong',
  ],
  [
    'an assertion for a list of audiences',
    () => ({ assertion: { claims: { aud: [audience] } } }),
    'assertion_audience_wrong',
  ],
  ...[{ assertion: {} }, { tls }].map(
    (proof): Row => [
      `a certificate to sign with: ${Object.keys(proof)} (entra E242)`,
      () => ({ client: { keyCredentials: [toSignWith] }, ...proof }),
      'assertion_key_unknown',
    ],
  ),
  [
    'a certificate of another client',
    () => ({ client: { keyCredentials: [] }, assertion: {} }),
    'assertion_key_unknown',
  ],
  [
    'a certificate that expires now',
    () => ({ client: keys({ endDateTime: now }), assertion: {} }),
    'assertion_key_expired',
  ],
  [
    'a certificate that is not valid yet',
    () => ({ client: keys({ startDateTime: second(61) }), assertion: {} }),
    'assertion_key_expired',
  ],
  [
    'a certificate with a weak key',
    () => ({ client: keys({ certificate: weakCertificate }), assertion: {} }),
    'assertion_key_unsafe',
  ],
  [
    'a signature that is not valid',
    () => ({ assertion: {}, facts: { signature: 'invalid' } }),
    'assertion_signature_invalid',
  ],
  [
    'a signature that was not verified',
    () => ({ assertion: {}, facts: {} }),
    'assertion_signature_invalid',
  ],
  [
    'an invalid signature of an expired assertion',
    () => ({ assertion: { claims: { exp: 1 } }, facts: { signature: 'invalid' } }),
    'assertion_signature_invalid',
  ],
  [
    'an expired assertion',
    () => ({ assertion: { claims: { exp: epochSeconds - 60 } } }),
    'assertion_time_invalid',
  ],
  [
    'an assertion that is not valid yet',
    () => ({ assertion: { claims: { nbf: epochSeconds + 61 } } }),
    'assertion_time_invalid',
  ],
  [
    'an assertion with a long lifetime',
    () => ({ assertion: { claims: { exp: epochSeconds + 661 } } }),
    'assertion_lifetime_too_long',
  ],
  [
    'an assertion that was used before',
    () => ({
      assertion: {},
      usesAssertionsOnce: true,
      facts: { signature: 'valid', isFirstUse: false },
    }),
    'assertion_replayed',
  ],
  [
    'an assertion whose use was not recorded',
    () => ({ assertion: {}, usesAssertionsOnce: true, facts: { signature: 'valid' } }),
    'assertion_replayed',
  ],
  [
    'an assertion without jti when assertions are valid once',
    () => ({ assertion: { claims: { jti: undefined } }, usesAssertionsOnce: true }),
    'assertion_claim_missing',
  ],
  [
    'an issuer without a federated credential',
    () => ({ assertion: ofIssuer({ iss: 'https://other.test' }) }),
    'federated_issuer_unknown',
  ],
  [
    'a token with an unknown audience',
    () => ({ assertion: ofIssuer({ aud: 'x' }) }),
    'federated_audience_unknown',
  ],
  [
    'a token with an unknown subject',
    () => ({ assertion: ofIssuer({ sub: 'one' }) }),
    'federated_subject_unknown',
  ],
  [
    'a subject in another case than in the federated credential',
    () => ({ assertion: ofIssuer({ sub: 'Job' }) }),
    'federated_subject_case_differs',
  ],
  [
    'claims that the expression of the federated credential does not match',
    () => ({ assertion: ofIssuer({ sub: 'repo:other' }), client: trustsExpression }),
    'federated_expression_unmatched',
  ],
  [
    'a token of an issuer without a federated credential',
    () => ({ assertion: ofIssuer(), client: { federatedIdentityCredentials: [] } }),
    'federated_credential_missing',
  ],
  [
    'a token with a long lifetime',
    () => ({ assertion: ofIssuer({ iat: undefined }) }),
    'federated_lifetime_too_long',
  ],
  [
    'an expired token of an issuer',
    () => ({ assertion: ofIssuer(), facts: { signature: 'time_invalid' } }),
    'assertion_time_invalid',
  ],
  ...(
    [
      'issuer_not_allowed',
      'issuer_unreachable',
      'issuer_of_other_tenant',
      'key_unknown',
      'keys_malformed',
    ] as const
  ).map(
    (signature): Row => [
      `a token whose verification ends with ${signature}`,
      () => ({ assertion: ofIssuer(), facts: { signature } }),
      `federated_${signature}`,
    ],
  ),
  [
    'a token of this server for another purpose',
    () => ({ assertion: ofIssuer(), facts: { signature: 'token_type_forbidden' } }),
    'federated_token_type_forbidden',
  ],
  ...[{}, { signature: 'invalid' as const }].map(
    (facts): Row => [
      `a token that is not verified: ${JSON.stringify(facts)}`,
      () => ({ assertion: ofIssuer(), facts }),
      'federated_assertion_invalid',
    ],
  ),

  ['a chained token', () => exchanged({ claims: { xms_ficinfo: 'x' } }), 'federated_token_chained'],

  ['an unknown API', () => ({ request: { resource: 'api://other' } }), 'resource_unknown'],
  ['a deleted API', () => ({ api: { deletedDateTime: second(-1) } }), 'resource_unknown'],
  ['a disabled API', () => ({ apiPrincipal: { accountEnabled: false } }), 'resource_disabled'],
  ['an API without mapped claims (entra E252)', () => mapped, 'mapped_claims_not_accepted'],
  ['another API in resource', () => otherResource, 'resource_parameter_differs'],
  [
    'a client without a role, where the API requires one',
    () => ({ apiPrincipal: { appRoleAssignmentRequired: true }, assignedRoles: [] }),
    'role_required',
  ],
]

const both = [appRole().id, guid(0x52)]
const issuedRows: readonly [
  what: string,
  row: () => Situation,
  expected: Partial<TokenDecision>,
][] = [
  ['for a secret', () => ({}), { method: 'secret', credentialId: password.keyId }],
  [
    'for a secret that starts within the clock tolerance',
    () => ({ client: passwords({ startDateTime: second(60) }) }),
    { credentialId: password.keyId },
  ],
  [
    'for one of two secrets that overlap',
    () => ({
      client: {
        passwordCredentials: [createPassword({}, systemRuntime).credential, password],
      },
    }),
    { credentialId: password.keyId },
  ],
  ...unaffectedByMapping,
  ['for an assertion', () => ({ assertion: {} }), { method: 'assertion' }],
  [
    'for an assertion that is used again, if the settings permit it',
    () => ({ assertion: {}, facts: { signature: 'valid', isFirstUse: false } }),
    { method: 'assertion' },
  ],
  [
    'for an assertion that is used for the first time',
    () => ({ assertion: {}, usesAssertionsOnce: true }),
    { method: 'assertion' },
  ],
  [
    'for a federated identity',
    () => ({ assertion: ofIssuer() }),
    { method: 'assertion', credentialId: federated.id },
  ],
  [
    'for a secret, without facts about an assertion',
    () => ({ facts: {} }),
    { method: 'secret', roles: ['CallHiApiRole'] },
  ],
  ['with the assigned role', () => ({}), { roles: ['CallHiApiRole'] }],
  [
    'with all assigned roles, in the order of the API',
    () => ({ assignedRoles: both.toReversed() }),
    { roles: ['CallHiApiRole', 'CallHelloApiRole'] },
  ],
  ['without roles if none is assigned', () => ({ assignedRoles: [] }), { roles: [] }],
  [
    'without a disabled role',
    () => ({ api: { appRoles: [appRole({ isEnabled: false })] } }),
    { roles: [] },
  ],
  [
    'without a role for users only',
    () => ({ api: { appRoles: [appRole({ allowedMemberTypes: ['User'] })] } }),
    { roles: [] },
  ],
  [
    'without a role, if an assignment is required and only a disabled role is assigned',
    () => ({
      api: { appRoles: [appRole({ isEnabled: false })] },
      apiPrincipal: { appRoleAssignmentRequired: true },
    }),
    { roles: [] },
  ],
]

describe('the decision about a token', () => {
  before(async () => {
    const key = unsafeKeys['of 1024 bits']
    assert.ok(key)
    weakCertificate = await certificateOf(key)
  })

  for (const [what, row, reason] of refusedRows) {
    it(`refuses ${what}: ${reason}`, () => {
      const decision = decide(row())
      assert.ok(decision instanceof Refused, 'a token was issued')
      assert.equal(decision.refusal.reason, reason)
    })
  }

  it('contains a row for every refusal', () => {
    const inRows = new Set([...refusedRows, ...agentRefusals].map((row) => row.at(-1)))
    assert.deepEqual(
      [...inRows].toSorted(),
      Object.keys({ ...authenticationRefusalRows, ...accessRefusalRows }).toSorted(),
    )
  })

  for (const [what, row, expected] of issuedRows) {
    it(`issues a token ${what}`, () => {
      const decision = decide(row())
      assert.ok(!(decision instanceof Refused), JSON.stringify(decision))
      assert.partialDeepStrictEqual(decision, expected)
      // The partial comparison takes an empty list for a part of every list.
      if (expected.roles) assert.deepEqual(decision.roles, expected.roles)
      assert.equal(decision.client.application.appId, clientId)
      assert.equal(decision.resource.application.appId, row().api?.appId ?? apiId)
      assert.equal(decision.tenant.id, tenantId)
    })
  }

  it('depends only on the directory, the request, the facts and the time', () => {
    assert.deepEqual(decide({}), decide({}))
  })
})
