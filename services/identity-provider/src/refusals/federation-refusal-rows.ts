import type { RefusalRows, Texts } from './refusal-row.ts'

const seeFederation =
  'Check your federated identity credential Subject, Audience and Issuer against the presented assertion.'
const federationGuide = 'https://learn.microsoft.com/entra/workload-id/workload-identity-federation'
const externalRequestFailed = 'Request to External OIDC endpoint failed.'

/** A credential that is refused, and shows no attempt to guess one. */
export const mistake = {
  phase: 'authentication',
  status: 401,
  error: 'invalid_client',
  hasErrorUri: true,
  isGuess: false,
  isOutage: false,
  check: 'credential',
  clientRemedy: null,
} as const
/** A wrong credential that may be a guess of an attacker. */
export const guess = { ...mistake, isGuess: true } as const
/** An issuer that this server asked is at fault. */
const outage = { ...mistake, isOutage: true } as const

/** Refusals of other issuers' tokens as credentials. */
export const federationRefusalRows = {
  federated_issuer_unknown: {
    ...mistake,
    code: 700211,
    sentence: ({ issuer }: Texts<'issuer'>) =>
      `No matching federated identity record found for presented assertion issuer '${issuer}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts no such issuer',
    remedy:
      'Add a federated identity credential with exactly this issuer. A slash at the end matters.',
    clientRemedy: 'Register a federated identity credential with exactly this issuer.',
  },
  federated_audience_unknown: {
    ...mistake,
    code: 700212,
    sentence: ({ audience }: Texts<'audience'>) =>
      `No matching federated identity record found for presented assertion audience '${audience}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts the issuer for another audience',
    remedy:
      'Request the token from its issuer for the audience of the federated identity credential, usually api://AzureADTokenExchange.',
    clientRemedy:
      'Request the federated token for the audience of the federated identity credential.',
  },
  federated_subject_unknown: {
    ...mistake,
    code: 700213,
    sentence: ({ subject }: Texts<'subject'>) =>
      `No matching federated identity record found for presented assertion subject '${subject}'. ${seeFederation} ${federationGuide}`,
    when: 'the client trusts the issuer for another subject',
    remedy: 'Add a federated identity credential with exactly this subject.',
    clientRemedy: 'Register a federated identity credential with exactly this subject.',
  },
  federated_subject_case_differs: {
    ...mistake,
    code: 7002138,
    sentence: ({ subject }: Texts<'subject'>) =>
      `No matching federated identity record found for presented assertion subject '${subject}'. The subject matches with case-insensitive comparison, but not with case-sensitive comparison. ${seeFederation} See documentation at: ${federationGuide}. See breaking change notification and remediation at: https://learn.microsoft.com/en-us/entra/identity-platform/reference-breaking-changes#august-2024.`,
    when: 'the subject differs in upper and lower case',
    remedy: 'Write the subject of the federated identity credential in the case of this text.',
    clientRemedy:
      'Write the subject of the federated identity credential in the case of this text.',
  },
  federated_expression_unmatched: {
    ...mistake,
    code: 7002131,
    sentence: ({ subject }: Texts<'subject'>) =>
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
    sentence: ({ issuer }: Texts<'issuer'>) =>
      `Assertion failed signature validation. Assertion Issuer: '${issuer}'.`,
    when: 'the signature of the federated token is wrong, or its application is disabled',
    remedy: 'Obtain a new token from the issuer, and send it unchanged.',
  },
  federated_issuer_unreachable: {
    ...outage,
    code: 501661,
    sentence: () => externalRequestFailed,
    when: 'the issuer does not answer, answers with an error or a redirect, or has no valid discovery document',
    remedy:
      'Make the discovery document and the key set of the issuer reachable for this server. The document must name exactly this issuer.',
    clientRemedy: 'Make the issuer of the federated token reachable for the identity provider.',
  },
  federated_keys_malformed: {
    ...outage,
    status: 400,
    error: 'invalid_request',
    code: 900612,
    hasErrorUri: false,
    sentence: () => 'Failed to parse provider signing keys.',
    when: 'the key set of the issuer is not JSON, or has no usable RSA key',
    remedy:
      'Publish a key set with an RSA key of at least 2048 bits at the jwks_uri of the issuer.',
  },
  // The error is recorded. Its status is that of invalid_client.
  federated_key_unknown: {
    ...mistake,
    code: 7000272,
    sentence: ({ key, issuer }: Texts<'key' | 'issuer'>) =>
      `The certificate with identifier ${key} used to sign the federated credential could not be found in the metadata of identity provider ${issuer}. Please validate that your Identity Provider's metadata exposes the key used to sign the incoming token.`,
    when: 'the issuer does not publish the key of the federated token',
    remedy: 'Publish the key in the key set of the issuer, and try again after 30 seconds.',
    clientRemedy: 'Publish the signing key of the federated token in the key set of its issuer.',
  },
  // The error was invalid_request in 2022, and invalid_client in 2023. The status is that of the newer one.
  federated_lifetime_too_long: {
    ...mistake,
    code: 70023,
    sentence: ({ issued, expires }: { issued: number; expires: number }) =>
      `External OIDC Provider token must have a lifetime of less than or equal to 1.01:00:00. Token issued at ${issued}. Token expires on ${expires}.`,
    when: 'the federated token is valid for more than 25 hours, or has no iat',
    remedy: 'Shorten the lifetime at the issuer. In Kubernetes, set expirationSeconds to 3600.',
    clientRemedy: 'Request a federated token that is valid for at most 25 hours.',
  },
  federated_credential_missing: {
    ...mistake,
    code: 70025,
    hasErrorUri: false,
    sentence: ({ clientId, clientName }: Texts<'clientId' | 'clientName'>) =>
      `The client '${clientId}'(${clientName}) has no configured federated identity credentials.`,
    when: 'the client has no federated identity credential',
    remedy:
      'Add a federated identity credential with the issuer, subject and audience of the token.',
    clientRemedy: 'Register a federated identity credential for this client.',
  },
  federated_issuer_of_other_tenant: {
    ...mistake,
    code: 700236,
    sentence: ({ issuer }: Texts<'issuer'>) =>
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
    clientRemedy:
      'Use the token of a managed identity, or of an application itself, as the assertion.',
  },
  federated_token_chained: {
    ...mistake,
    code: 700231,
    sentence: () =>
      'Token obtained using another federated identity credential may not be used as a federated identity credential.',
    when: 'the federated token was itself obtained with a federated token',
    remedy: 'Authenticate the first application with a secret or a certificate.',
    clientRemedy:
      'Use a separate credential for this client, because a federated credential cannot follow another one.',
  },
} satisfies RefusalRows<'authentication'>
