import type { Application } from '@greeting/directory'
import {
  certificateOf,
  unsafeKeys,
} from '../../../../test/fixtures/directory/unsafe-certificates.ts'
import {
  type AssertionParts,
  asProof,
  assertionOf,
  type ClientCertificate,
  clientCertificate,
} from './client-certificate.ts'
import { changeClient } from './client-change.ts'
import { type RefusalScenario, refused } from './refusal-scenario.ts'
import { apiId, clientId, type TestService } from './test-service.ts'

const unknownId = '99999999-0000-4000-8000-000000000000'
const issuer = 'https://issuer.example'
const seeFederation =
  'Check your federated identity credential Subject, Audience and Issuer against the presented assertion. https://learn.microsoft.com/entra/workload-id/workload-identity-federation'

let made: Promise<ClientCertificate> | undefined
const certificate = (): Promise<ClientCertificate> => {
  made ??= clientCertificate()
  return made
}

/** A request with an assertion that a registered certificate signs. Times are those of the request. */
const asserting =
  (parts: AssertionParts | (() => AssertionParts) = {}, part: Partial<Application> = {}) =>
  async (service: TestService) => {
    const { credential, privateKey } = await certificate()
    await changeClient(service, { keyCredentials: [credential], ...part })
    const differences = typeof parts === 'function' ? parts() : parts
    const assertion = await assertionOf({ credential, privateKey }, differences)
    return { form: service.form(asProof(assertion)) }
  }

const federation = (part: object = {}) => ({
  federatedIdentityCredentials: [
    {
      id: unknownId,
      name: 'cluster',
      description: null,
      issuer,
      subject: 'job',
      audiences: ['api://AzureADTokenExchange'],
      ...part,
    },
  ],
})

const federated = (part: object = {}, claims: object = {}, header: Record<string, unknown> = {}) =>
  asserting(
    () => ({
      header: { alg: 'RS256', ...header },
      claims: {
        iss: issuer,
        sub: 'job',
        aud: 'api://AzureADTokenExchange',
        iat: inSeconds(0),
        ...claims,
      },
    }),
    federation(part),
  )

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** The causes of refused client assertions (entra E91 to E133). */
export const assertionRefusalScenarios: readonly RefusalScenario[] = [
  {
    reason: 'assertion_malformed',
    request: (service) => ({ form: service.form(asProof('not.a.jwt')) }),
    ...refused(400, 'invalid_request', 50027),
    text: 'JWT token is invalid or malformed.',
  },
  ...['iss', 'aud'].map(
    (claim): RefusalScenario => ({
      reason: 'assertion_claim_missing',
      when: claim,
      request: asserting({ claims: { [claim]: null } }),
      ...refused(400, 'invalid_request', 90014),
      text: `The required field '${claim}' is missing from the credential. Ensure that you have all the necessary parameters for the login request.`,
    }),
  ),
  {
    reason: 'assertion_algorithm_unsupported',
    request: asserting({ header: { alg: 'PS512' } }),
    ...refused(401, 'invalid_client', 5002738),
    text: "Invalid JWT token. 'PS512' is not a supported signature algorithm. Supported signing algorithms are: 'RS256,RS384,RS512'",
  },
  {
    reason: 'assertion_type_unsupported',
    when: 'an access token',
    request: asserting({ header: { typ: 'at+jwt' } }),
    ...refused(400, 'invalid_request', 5002727),
    text: "Invalid JWT header type specified. Allowed types: 'JWT','http://openid.net/specs/jwt/1.0'.",
  },
  {
    reason: 'assertion_key_missing',
    request: asserting({ header: { 'x5t#S256': null } }),
    ...refused(401, 'invalid_client', 5002723),
    text: 'Invalid JWT token. No certificate SHA-1 thumbprint, certificate SHA-256 thumbprint, nor keyId specified in token header.',
  },
  ...['iss', 'sub'].map(
    (claim): RefusalScenario => ({
      reason: 'assertion_client_wrong',
      when: claim,
      request: asserting({ claims: { [claim]: apiId } }),
      ...refused(401, 'invalid_client', 700021),
      text: /^Client assertion application identifier doesn't match 'client_id' parameter\. Review/,
    }),
  ),
  {
    reason: 'assertion_audience_wrong',
    request: asserting({ claims: { aud: 'https://login.microsoftonline.com/common' } }),
    ...refused(401, 'invalid_client', 700023),
    text: /^Client assertion audience claim does not match Realm issuer\./,
  },
  ...[
    { when: 'expired', nbf: -900, exp: -300 },
    { when: 'not yet valid', nbf: 300, exp: 900 },
  ].map(
    ({ when, nbf, exp }): RefusalScenario => ({
      reason: 'assertion_time_invalid',
      when,
      request: asserting(() => ({ claims: { nbf: inSeconds(nbf), exp: inSeconds(exp) } })),
      ...refused(401, 'invalid_client', 700024),
      text: /^Client assertion is not within its valid time range\. Current time: \d{4}-\d\d-\d\dT[\d:.]{16}Z, assertion valid from [^ ]+, expiry time of assertion [^ ]+\. Review the documentation at /,
    }),
  ),
  {
    reason: 'assertion_lifetime_too_long',
    when: 'ten years (CVE-2025-2559, AS18)',
    request: asserting(() => ({ claims: { exp: inSeconds(315_360_000) } })),
    ...refused(401, 'invalid_client', 700024),
    text: /expires too far in the future/,
  },
  {
    reason: 'assertion_key_unknown',
    request: asserting({ header: { 'x5t#S256': 'q83vEjRWeJA' } }),
    ...refused(401, 'invalid_client', 700027),
    text: `The certificate with identifier used to sign the client assertion is not registered on application. [Reason - The key was not found., Thumbprint of key used by client: 'ABCDEF1234567890', Please visit the Azure Portal, Graph Explorer or directly use MS Graph to see configured keys for app Id '${clientId}'. Review the documentation at https://docs.microsoft.com/en-us/graph/deployments to determine the corresponding service endpoint and https://docs.microsoft.com/en-us/graph/api/application-get?view=graph-rest-1.0&tabs=http to build a query request URL, such as 'https://graph.microsoft.com/beta/applications/${clientId}'].`,
  },
  {
    reason: 'assertion_key_expired',
    request: async (service) => {
      const { credential } = await certificate()
      const expired = { ...credential, endDateTime: new Date(1) }
      return asserting({}, { keyCredentials: [expired] })(service)
    },
    ...refused(401, 'invalid_client', 1000502),
    text: 'The provided certificate is not within its specified validity period.',
  },
  {
    reason: 'assertion_key_unsafe',
    request: async (service) => {
      const { credential } = await certificate()
      const [unsafe] = Object.values(unsafeKeys)
      if (unsafe === undefined) throw new TypeError('There is no unsafe key.')
      const stored = { ...credential, certificate: await certificateOf(unsafe) }
      return asserting({}, { keyCredentials: [stored] })(service)
    },
    ...refused(401, 'invalid_client', 700027),
    text: /\[Reason - The key used does not meet the requirements for RSA keys\./,
  },
  {
    reason: 'assertion_signature_invalid',
    request: async (service) => {
      const { form } = await asserting()(service)
      const other = await clientCertificate()
      const { credential } = await certificate()
      const forged = await assertionOf({ credential, privateKey: other.privateKey })
      return { form: { ...form, ...asProof(forged) } }
    },
    ...refused(401, 'invalid_client', 700027),
    text: /\[Reason - The provided signature value did not match the expected signature value\./,
  },
  {
    reason: 'assertion_replayed',
    options: { assertions: { spend: async () => false } },
    request: asserting(),
    ...refused(401, 'invalid_client', 700027),
    text: /already used/,
  },
  {
    reason: 'federated_issuer_unknown',
    when: 'a slash at the end of the issuer',
    request: federated({ issuer: `${issuer}/` }),
    ...refused(401, 'invalid_client', 700211),
    text: `No matching federated identity record found for presented assertion issuer '${issuer}'. ${seeFederation}`,
  },
  {
    reason: 'federated_credential_missing',
    request: asserting({ header: { alg: 'RS256' }, claims: { iss: issuer, sub: 'job' } }),
    ...refused(401, 'invalid_client', 70025, false),
    text: `The client '${clientId}'(Greeting client) has no configured federated identity credentials.`,
  },
  {
    reason: 'assertion_type_unsupported',
    when: 'a federated token is an access token',
    request: federated({}, {}, { typ: 'at+jwt' }),
    ...refused(400, 'invalid_request', 5002727),
    text: "Invalid JWT header type specified. Allowed types: 'JWT','http://openid.net/specs/jwt/1.0'.",
  },
  {
    reason: 'assertion_algorithm_unsupported',
    when: 'a federated token is signed with PS256',
    request: federated({}, {}, { alg: 'PS256' }),
    ...refused(401, 'invalid_client', 5002738),
    text: /^Invalid JWT token\. 'PS256' is not a supported signature algorithm/,
  },
  {
    reason: 'assertion_key_missing',
    when: 'a federated token names no key',
    request: federated({}, {}, { 'x5t#S256': null }),
    ...refused(401, 'invalid_client', 5002723),
    text: 'Invalid JWT token. No certificate SHA-1 thumbprint, certificate SHA-256 thumbprint, nor keyId specified in token header.',
  },
  ...(
    [
      ['26 hours', { exp: 93_600 }],
      ['a year', { exp: 31_536_000 }],
      ['31 hours, most of them past', { iat: -108_000, exp: 3600 }],
      ['an unknown time, without iat', { iat: null, exp: 3600 }],
    ] as [string, { iat?: number | null; exp: number }][]
  ).map(
    ([life, { iat = 0, exp }]): RefusalScenario => ({
      reason: 'federated_lifetime_too_long',
      when: `the token lives for ${life}`,
      request: federated({}, { iat: iat === null ? null : inSeconds(iat), exp: inSeconds(exp) }),
      ...refused(401, 'invalid_client', 70023),
      text: /^External OIDC Provider token must have a lifetime of less than or equal to 1\.01:00:00\. Token issued at \d+\. Token expires on \d+\.$/,
    }),
  ),
  {
    reason: 'assertion_time_invalid',
    when: 'a federated token has expired',
    options: { verifyFederated: async () => 'time_invalid' },
    request: federated(),
    ...refused(401, 'invalid_client', 700024),
    text: /^Client assertion is not within its valid time range\. Current time: [^ ]+, assertion valid from [^ ]+, expiry time of assertion [^ ]+\. Review the documentation at /,
  },
  {
    reason: 'federated_key_unknown',
    options: { verifyFederated: async () => 'key_unknown' },
    request: federated({}, {}, { 'x5t#S256': null, kid: '36GEq14rP2UpuM_OGVMFAUIjbik' }),
    ...refused(401, 'invalid_client', 7000272),
    text: `The certificate with identifier DFA184AB5E2B3F6529B8CFCE1953050142236E29 used to sign the federated credential could not be found in the metadata of identity provider ${issuer}. Please validate that your Identity Provider's metadata exposes the key used to sign the incoming token.`,
  },
  {
    reason: 'federated_keys_malformed',
    options: { verifyFederated: async () => 'keys_malformed' },
    request: federated(),
    ...refused(400, 'invalid_request', 900612, false),
    text: 'Failed to parse provider signing keys.',
  },
  {
    reason: 'federated_audience_unknown',
    request: federated({ audiences: ['other'] }),
    ...refused(401, 'invalid_client', 700212),
    text: `No matching federated identity record found for presented assertion audience 'api://AzureADTokenExchange'. ${seeFederation}`,
  },
  {
    reason: 'federated_subject_unknown',
    request: federated({ subject: 'another-job' }),
    ...refused(401, 'invalid_client', 700213),
    text: `No matching federated identity record found for presented assertion subject 'job'. ${seeFederation}`,
  },
  {
    reason: 'federated_subject_case_differs',
    request: federated({ subject: 'Job' }),
    ...refused(401, 'invalid_client', 7002138),
    text: /subject 'job'\. The subject matches with case-insensitive comparison, but not with case-sensitive comparison\. Check your/,
  },
  {
    reason: 'federated_expression_unmatched',
    request: federated({
      subject: null,
      claimsMatchingExpression: "claims['sub'] matches 'another-*'",
    }),
    ...refused(401, 'invalid_client', 7002131),
    text: "No matching federated identity record found for presented assertion subject 'job' or no federated identity credential expression matched. Please check your federated identity credential Subject, Expression, Audience and Issuer against the presented assertion. https://learn.microsoft.com/entra/workload-id/workload-identity-federation",
  },
  {
    reason: 'federated_issuer_not_allowed',
    request: federated(),
    ...refused(401, 'invalid_client', 501661),
    text: 'Request to External OIDC endpoint failed.',
  },
  {
    reason: 'federated_assertion_invalid',
    options: { verifyFederated: async () => 'invalid' },
    request: federated(),
    ...refused(401, 'invalid_client', 50013),
    text: /^Assertion failed signature validation/,
  },
  {
    reason: 'federated_issuer_of_other_tenant',
    options: { verifyFederated: async () => 'issuer_of_other_tenant' },
    request: federated(),
    ...refused(401, 'invalid_client', 700236),
    text: `Entra ID tokens issued by issuer '${issuer}' may not be used for federated identity credential flows for applications or managed identities registered in this tenant.`,
  },
  {
    reason: 'federated_token_type_forbidden',
    options: { verifyFederated: async () => 'token_type_forbidden' },
    request: federated(),
    ...refused(401, 'invalid_client', 700229),
    text: 'Forbidden token type. Only app-only tokens may be used as Federated Identity Credentials for AAD issuer.',
  },
  {
    reason: 'federated_token_chained',
    options: { verifyFederated: async () => 'valid_own' },
    request: federated(),
    ...refused(401, 'invalid_client', 700231),
    text: 'Token obtained using another federated identity credential may not be used as a federated identity credential.',
  },
  {
    reason: 'federated_issuer_unreachable',
    options: { verifyFederated: async () => 'issuer_unreachable' },
    request: federated(),
    ...refused(401, 'invalid_client', 501661),
    text: 'Request to External OIDC endpoint failed.',
  },
]
