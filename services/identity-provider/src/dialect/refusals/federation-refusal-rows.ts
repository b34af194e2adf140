import type { IssuanceRefusal } from '../../issuance/refusal.ts'
import type { RefusalRows } from './refusal.ts'

const invalidRequest = { status: 400, error: 'invalid_request' } as const
const invalidClient = { status: 401, error: 'invalid_client', hasErrorUri: true } as const
const seeFederation =
  'Check your federated identity credential Subject, Audience and Issuer against the presented assertion.'
const federationGuide = 'https://learn.microsoft.com/entra/workload-id/workload-identity-federation'
const externalRequestFailed = 'Request to External OIDC endpoint failed.'

type FederationReason = Extract<
  IssuanceRefusal['reason'],
  `federated_${string}` | `agent_${string}`
>

/** Refusals of tokens as credentials, and of agent identities, which authenticate with one. */
export const federationRefusalRows: RefusalRows<FederationReason> = {
  federated_issuer_unknown: {
    ...invalidClient,
    code: 700211,
    sentence: ({ issuer }) =>
      `No matching federated identity record found for presented assertion issuer '${issuer}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts no such issuer',
    remedy:
      'Add a federated identity credential with exactly this issuer. A slash at the end matters.',
  },
  federated_audience_unknown: {
    ...invalidClient,
    code: 700212,
    sentence: ({ audience }) =>
      `No matching federated identity record found for presented assertion audience '${audience}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts the issuer for another audience',
    remedy:
      'Request the token from its issuer for the audience of the federated identity credential, usually api://AzureADTokenExchange.',
  },
  federated_subject_unknown: {
    ...invalidClient,
    code: 700213,
    sentence: ({ subject }) =>
      `No matching federated identity record found for presented assertion subject '${subject}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts the issuer for another subject',
    remedy: 'Add a federated identity credential with exactly this subject.',
  },
  federated_subject_case_differs: {
    ...invalidClient,
    code: 7002138,
    sentence: ({ subject }) =>
      `No matching federated identity record found for presented assertion subject '${subject}'. The subject matches with case-insensitive comparison, but not with case-sensitive comparison. ${seeFederation} See documentation at: ${federationGuide}. See breaking change notification and remediation at: https://learn.microsoft.com/en-us/entra/identity-platform/reference-breaking-changes#august-2024.`,
    when: 'the subject differs in upper and lower case',
    remedy: 'Write the subject of the federated identity credential in the case of this text.',
  },
  federated_expression_unmatched: {
    ...invalidClient,
    code: 7002131,
    sentence: ({ subject }) =>
      `No matching federated identity record found for presented assertion subject '${subject}' or no federated identity credential expression matched. Please check your federated identity credential Subject, Expression, Audience and Issuer against the presented assertion. ${federationGuide}`,
    when: 'no claims matching expression fits the assertion',
    remedy:
      'Compare the claims of the assertion with the claims matching expression: each claim, and each character outside of wildcards.',
  },
  federated_issuer_not_allowed: {
    ...invalidClient,
    code: 501661,
    sentence: () => externalRequestFailed,
    when: 'the server may not ask this issuer for its keys',
    remedy: 'The operator must add its host to FEDERATED_ISSUER_HOSTS.',
  },
  federated_assertion_invalid: {
    ...invalidClient,
    code: 50013,
    sentence: ({ issuer }) =>
      `Assertion failed signature validation, or is not within its valid time range. Assertion Issuer: '${issuer}'.`,
    when: 'the federated token has expired, or its signature is wrong',
    remedy: 'Obtain a new token from the issuer.',
  },
  federated_issuer_unreachable: {
    status: 503,
    error: 'temporarily_unavailable',
    code: 501661,
    hasErrorUri: true,
    sentence: () => externalRequestFailed,
    when: 'the issuer does not answer',
    remedy: 'Try again. The server could not check the assertion.',
  },
  federated_issuer_of_other_tenant: {
    ...invalidClient,
    code: 700236,
    sentence: ({ issuer }) =>
      `Entra ID tokens issued by issuer '${issuer}' may not be used for federated identity credential flows for applications or managed identities registered in this tenant.`,
    when: 'the issuer belongs to another tenant',
    remedy: 'Register the application in the tenant of the issuer, for several tenants.',
  },
  federated_token_type_forbidden: {
    ...invalidClient,
    code: 700229,
    sentence: () =>
      'Forbidden token type. Only app-only tokens may be used as Federated Identity Credentials for AAD issuer.',
    when: 'the federated token is not one of an application',
    remedy:
      'Request the token for api://AzureADTokenExchange, and trust the issuer that ends in /v2.0.',
  },
  federated_token_chained: {
    ...invalidClient,
    code: 700231,
    sentence: () =>
      'Token obtained using another federated identity credential may not be used as a federated identity credential.',
    when: 'the federated token was itself obtained with a federated token',
    remedy: 'Authenticate the first application with a secret or a certificate.',
  },
  agent_path_missing: {
    ...invalidRequest,
    code: 82008,
    hasErrorUri: true,
    sentence: () =>
      'All agentic applications requesting a token exchange token must include the fmipath parameter on the token request.',
    when: 'a blueprint requests a token for token exchange without fmi_path',
    remedy: 'Send fmi_path=<client ID of the agent> in the body, not in the query.',
  },
  // Entra ID's answer to this is unknown, so the code is inferred.
  agent_path_unexpected: {
    ...invalidRequest,
    code: 90100,
    hasErrorUri: false,
    sentence: () =>
      "The parameter 'fmi_path' is only for an agent identity blueprint that requests a token for api://AzureADTokenExchange.",
    when: 'a request that is not for an agent has fmi_path',
    remedy: 'Omit fmi_path, or send the client ID of a blueprint.',
  },
  agent_resource_not_permitted: {
    status: 400,
    error: 'unauthorized_client',
    code: 82001,
    hasErrorUri: true,
    sentence: ({ clientId, resourceId }) =>
      `Agentic application '${clientId}' is not permitted to request app-only tokens for resource '${resourceId}'.`,
    when: 'a blueprint requests a token for an API as itself',
    remedy:
      'Request a token for api://AzureADTokenExchange with fmi_path, and present it as the assertion of the agent.',
  },
}
