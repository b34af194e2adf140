import type { AuthenticationRefusal } from '../../issuance/refusal.ts'
import type { RefusalRows } from './refusal.ts'

const seeFederation =
  'Check your federated identity credential Subject, Audience and Issuer against the presented assertion.'
const federationGuide = 'https://learn.microsoft.com/entra/workload-id/workload-identity-federation'
const externalRequestFailed = 'Request to External OIDC endpoint failed.'

type FederationReason = Extract<AuthenticationRefusal['reason'], `federated_${string}`>

/** A credential that is refused, and shows no attempt to guess one. */
export const mistake = {
  phase: 'authentication',
  status: 401,
  error: 'invalid_client',
  hasErrorUri: true,
  isGuess: false,
} as const
/** A wrong credential that may be a guess of an attacker. */
export const guess = { ...mistake, isGuess: true } as const

/** Refusals of other issuers' tokens as credentials. */
export const federationRefusalRows: RefusalRows<FederationReason> = {
  federated_issuer_unknown: {
    ...mistake,
    code: 700211,
    sentence: ({ issuer }) =>
      `No matching federated identity record found for presented assertion issuer '${issuer}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts no such issuer',
    remedy:
      'Add a federated identity credential with exactly this issuer. A slash at the end matters.',
  },
  federated_audience_unknown: {
    ...mistake,
    code: 700212,
    sentence: ({ audience }) =>
      `No matching federated identity record found for presented assertion audience '${audience}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts the issuer for another audience',
    remedy:
      'Request the token from its issuer for the audience of the federated identity credential, usually api://AzureADTokenExchange.',
  },
  federated_subject_unknown: {
    ...mistake,
    code: 700213,
    sentence: ({ subject }) =>
      `No matching federated identity record found for presented assertion subject '${subject}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts the issuer for another subject',
    remedy: 'Add a federated identity credential with exactly this subject.',
  },
  federated_subject_case_differs: {
    ...mistake,
    code: 7002138,
    sentence: ({ subject }) =>
      `No matching federated identity record found for presented assertion subject '${subject}'. The subject matches with case-insensitive comparison, but not with case-sensitive comparison. ${seeFederation} See documentation at: ${federationGuide}. See breaking change notification and remediation at: https://learn.microsoft.com/en-us/entra/identity-platform/reference-breaking-changes#august-2024.`,
    when: 'the subject differs in upper and lower case',
    remedy: 'Write the subject of the federated identity credential in the case of this text.',
  },
  federated_expression_unmatched: {
    ...mistake,
    code: 7002131,
    sentence: ({ subject }) =>
      `No matching federated identity record found for presented assertion subject '${subject}' or no federated identity credential expression matched. Please check your federated identity credential Subject, Expression, Audience and Issuer against the presented assertion. ${federationGuide}`,
    when: 'no claims matching expression fits the assertion',
    remedy:
      'Compare the claims of the assertion with the claims matching expression: each claim, and each character outside of wildcards.',
  },
  federated_issuer_not_allowed: {
    ...mistake,
    code: 501661,
    sentence: () => externalRequestFailed,
    when: 'the server may not ask this issuer for its keys',
    remedy: 'The operator must add its host to FEDERATED_ISSUER_HOSTS.',
  },
  federated_assertion_invalid: {
    ...guess,
    code: 50013,
    sentence: ({ issuer }) =>
      `Assertion failed signature validation. Assertion Issuer: '${issuer}'.`,
    when: 'the signature of the federated token is wrong, or its application is disabled',
    remedy: 'Obtain a new token from the issuer, and send it unchanged.',
  },
  federated_issuer_unreachable: {
    ...mistake,
    code: 501661,
    isOutage: true,
    sentence: () => externalRequestFailed,
    when: 'the issuer does not answer, answers with an error or a redirect, or has no valid discovery document',
    remedy:
      'Make the discovery document and the key set of the issuer reachable for this server. The document must name exactly this issuer.',
  },
  federated_keys_malformed: {
    ...mistake,
    status: 400,
    error: 'invalid_request',
    code: 900612,
    hasErrorUri: false,
    isOutage: true,
    sentence: () => 'Failed to parse provider signing keys.',
    when: 'the key set of the issuer is not JSON, or has no usable RSA key',
    remedy:
      'Publish a key set with an RSA key of at least 2048 bits at the jwks_uri of the issuer.',
  },
  // The error is recorded. Its status is that of invalid_client.
  federated_key_unknown: {
    ...mistake,
    code: 7000272,
    sentence: ({ key, issuer }) =>
      `The certificate with identifier ${key} used to sign the federated credential could not be found in the metadata of identity provider ${issuer}. Please validate that your Identity Provider's metadata exposes the key used to sign the incoming token.`,
    when: 'the issuer does not publish the key of the federated token',
    remedy: 'Publish the key in the key set of the issuer, and try again after 30 seconds.',
  },
  // The error was invalid_request in 2022, and invalid_client in 2023. The status is that of the newer one.
  federated_lifetime_too_long: {
    ...mistake,
    code: 70023,
    sentence: ({ issued, expires }) =>
      `External OIDC Provider token must have a lifetime of less than or equal to 1.01:00:00. Token issued at ${issued}. Token expires on ${expires}.`,
    when: 'the federated token is valid for more than 25 hours, or has no iat',
    remedy: 'Shorten the lifetime at the issuer. In Kubernetes, set expirationSeconds to 3600.',
  },
  federated_credential_missing: {
    ...mistake,
    code: 70025,
    hasErrorUri: false,
    sentence: ({ clientId, clientName }) =>
      `The client '${clientId}'(${clientName}) has no configured federated identity credentials.`,
    when: 'the client has no federated identity credential',
    remedy:
      'Add a federated identity credential with the issuer, subject and audience of the token.',
  },
  federated_issuer_of_other_tenant: {
    ...mistake,
    code: 700236,
    sentence: ({ issuer }) =>
      `Entra ID tokens issued by issuer '${issuer}' may not be used for federated identity credential flows for applications or managed identities registered in this tenant.`,
    when: 'the issuer belongs to another tenant',
    remedy: 'Register the application in the tenant of the issuer, for several tenants.',
  },
  federated_token_type_forbidden: {
    ...mistake,
    code: 700229,
    sentence: () =>
      'Forbidden token type. Only app-only tokens may be used as Federated Identity Credentials for AAD issuer.',
    when: 'the federated token is not an app-only token',
    remedy:
      'Request the token for api://AzureADTokenExchange, and trust the issuer that ends in /v2.0.',
  },
  federated_token_chained: {
    ...mistake,
    code: 700231,
    sentence: () =>
      'Token obtained using another federated identity credential may not be used as a federated identity credential.',
    when: 'the federated token was itself obtained with a federated token',
    remedy: 'Authenticate the first application with a secret or a certificate.',
  },
}
