import type { Application } from '../../src/directory/application.ts'
import { certificateOf, unsafeKeys } from '../directory/unsafe-certificates.ts'
import {
  type AssertionParts,
  asProof,
  assertionOf,
  type ClientCertificate,
  clientCertificate,
} from './client-certificate.ts'
import { changeClient } from './client-change.ts'
import type { RefusalScenario } from './refusal-scenario.ts'
import { apiId, clientId, type TestService } from './test-service.ts'

const invalidClient = { status: 401, error: 'invalid_client', hasErrorUri: true }
const invalidRequest = { status: 400, error: 'invalid_request', hasErrorUri: true }
const unknownId = '99999999-0000-4000-8000-000000000000'
const issuer = 'https://issuer.example'

let made: Promise<ClientCertificate> | undefined
const certificate = (): Promise<ClientCertificate> => {
  made ??= clientCertificate()
  return made
}

/** A request with an assertion that a registered certificate signs. */
const asserting =
  (parts: AssertionParts = {}, part: Partial<Application> = {}) =>
  async (service: TestService) => {
    const { credential, privateKey } = await certificate()
    await changeClient(service, { keyCredentials: [credential], ...part })
    return { form: service.form(asProof(await assertionOf({ credential, privateKey }, parts))) }
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

const federated = (part: object = {}) =>
  asserting(
    { claims: { iss: issuer, sub: 'job', aud: 'api://AzureADTokenExchange' } },
    federation(part),
  )

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** The causes of refused client assertions (entra E91 to E133). */
export const assertionRefusalScenarios: readonly RefusalScenario[] = [
  {
    reason: 'assertion_malformed',
    request: (service) => ({ form: service.form(asProof('not.a.jwt')) }),
    ...invalidRequest,
    code: 50027,
    text: 'JWT token is invalid or malformed.',
  },
  ...['iss', 'aud'].map(
    (claim): RefusalScenario => ({
      reason: 'assertion_claim_missing',
      when: claim,
      request: asserting({ claims: { [claim]: null } }),
      ...invalidRequest,
      code: 90014,
      text: `The required field '${claim}' is missing from the credential. Ensure that you have all the necessary parameters for the login request.`,
    }),
  ),
  {
    reason: 'assertion_algorithm_unsupported',
    request: asserting({ header: { alg: 'RS512' } }),
    ...invalidClient,
    code: 5002738,
    text: "Invalid JWT token. 'RS512' is not a supported signature algorithm. Supported signing algorithms are: 'RS256,PS256'",
  },
  {
    reason: 'assertion_key_missing',
    request: asserting({ header: { 'x5t#S256': null } }),
    ...invalidClient,
    code: 5002723,
    text: 'Invalid JWT token. No certificate SHA-1 thumbprint, certificate SHA-256 thumbprint, nor keyId specified in token header.',
  },
  ...['iss', 'sub'].map(
    (claim): RefusalScenario => ({
      reason: 'assertion_client_wrong',
      when: claim,
      request: asserting({ claims: { [claim]: apiId } }),
      ...invalidClient,
      code: 700021,
      text: /^Client assertion application identifier doesn't match 'client_id' parameter\. Review/,
    }),
  ),
  {
    reason: 'assertion_audience_wrong',
    request: asserting({ claims: { aud: 'https://login.microsoftonline.com/common' } }),
    ...invalidClient,
    code: 700023,
    text: /^Client assertion audience claim does not match Realm issuer\./,
  },
  ...[
    { when: 'expired', claims: { nbf: inSeconds(-900), exp: inSeconds(-300) } },
    { when: 'not yet valid', claims: { nbf: inSeconds(300), exp: inSeconds(900) } },
  ].map(
    ({ when, claims }): RefusalScenario => ({
      reason: 'assertion_time_invalid',
      when,
      request: asserting({ claims }),
      ...invalidClient,
      code: 700024,
      text: /^Client assertion is not within its valid time range\. Current time: \d{4}-\d\d-\d\dT[\d:.]{16}Z, assertion valid from [^ ]+, expiry time of assertion [^ ]+\. Review the documentation at /,
    }),
  ),
  {
    reason: 'assertion_lifetime_too_long',
    when: 'ten years (CVE-2025-2559, AS18)',
    request: asserting({ claims: { exp: inSeconds(315_360_000) } }),
    ...invalidClient,
    code: 700024,
    text: /expires too far in the future/,
  },
  {
    reason: 'assertion_key_unknown',
    request: asserting({ header: { 'x5t#S256': 'q83vEjRWeJA' } }),
    ...invalidClient,
    code: 700027,
    text: `The certificate with identifier used to sign the client assertion is not registered on application. [Reason - The key was not found., Thumbprint of key used by client: 'ABCDEF1234567890', Please visit the Azure Portal, Graph Explorer or directly use MS Graph to see configured keys for app Id '${clientId}'.]`,
  },
  {
    reason: 'assertion_key_expired',
    request: async (service) => {
      const { credential } = await certificate()
      const expired = { ...credential, endDateTime: new Date(1) }
      return asserting({}, { keyCredentials: [expired] })(service)
    },
    ...invalidClient,
    code: 700027,
    text: /\[Reason - The key used is expired\./,
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
    ...invalidClient,
    code: 700027,
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
    ...invalidClient,
    code: 700027,
    text: /\[Reason - The provided signature value did not match the expected signature value\./,
  },
  {
    reason: 'assertion_replayed',
    options: { assertions: { spend: async () => false } },
    request: asserting(),
    ...invalidClient,
    code: 700027,
    text: /already used/,
  },
  {
    reason: 'federated_credential_unknown',
    request: federated({ issuer: 'https://other.example' }),
    ...invalidClient,
    code: 70021,
    text: `No matching federated identity record found for presented assertion. Assertion Issuer: '${issuer}'. Assertion Subject: 'job'. Assertion Audience: 'api://AzureADTokenExchange'.`,
  },
  {
    reason: 'federated_subject_unknown',
    request: federated({ subject: 'Job' }),
    ...invalidClient,
    code: 700213,
    text: "No matching federated identity record found for presented assertion subject 'job'.",
  },
  {
    reason: 'federated_issuer_not_allowed',
    request: federated(),
    ...invalidClient,
    code: 50166,
    text: `The issuer '${issuer}' is not on the list of allowed issuers.`,
  },
  {
    reason: 'federated_assertion_invalid',
    options: { verifyFederated: async () => 'invalid' },
    request: federated(),
    ...invalidClient,
    code: 50013,
    text: /^Assertion failed signature validation/,
  },
  {
    reason: 'federated_issuer_unreachable',
    options: { verifyFederated: async () => 'issuer_unreachable' },
    request: federated(),
    status: 503,
    error: 'temporarily_unavailable',
    code: 50166,
    hasErrorUri: true,
    text: `The keys of the issuer '${issuer}' could not be read.`,
  },
]
