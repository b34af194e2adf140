import { federationRefusalRows, guess, mistake } from './federation-refusal-rows.ts'
import type { RefusalRows, Texts } from './refusal-row.ts'

const invalidRequest = { ...mistake, status: 400, error: 'invalid_request', check: null } as const
export const wrongTenant =
  'This can happen if the application has not been installed by the administrator of the tenant or consented to by any user in the tenant.'
const certificateGuide =
  'Review the documentation at https://docs.microsoft.com/azure/active-directory/develop/active-directory-certificate-credentials .'
const seeKeys = (clientId: string) =>
  `Please visit the Azure Portal, Graph Explorer or directly use MS Graph to see configured keys for app Id '${clientId}'. Review the documentation at https://docs.microsoft.com/en-us/graph/deployments to determine the corresponding service endpoint and https://docs.microsoft.com/en-us/graph/api/application-get?view=graph-rest-1.0&tabs=http to build a query request URL, such as 'https://graph.microsoft.com/beta/applications/${clientId}'].`
const newAssertion =
  'Create a new assertion for every request, or read a new token of the issuer. Check the clocks.'

/** Refusals before a client has authenticated. */
export const authenticationRefusalRows = {
  tenant_unknown: {
    ...invalidRequest,
    code: 90002,
    sentence: ({ tenant }: Texts<'tenant'>) =>
      `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud. Check with your subscription administrator, this may happen if there are no active subscriptions for the tenant.`,
    when: 'a token is requested from a tenant that does not exist',
    remedy: 'Check the tenant ID or domain.',
    clientRemedy:
      'Check the tenant ID and the URL of the identity provider. The tenant does not exist there.',
  },
  client_unknown: {
    ...guess,
    status: 400,
    error: 'unauthorized_client',
    code: 700016,
    check: 'client',
    sentence: ({ clientId, tenantName }: Texts<'clientId' | 'tenantName'>) =>
      `Application with identifier '${clientId}' was not found in the directory '${tenantName}'. ${wrongTenant} You may have sent your authentication request to the wrong tenant.`,
    when: 'the client is not registered in this tenant',
    remedy: 'Register the client in this tenant, with its service principal.',
    clientRemedy:
      'Check the client ID and the tenant. The client is not registered in this tenant.',
  },
  client_public: {
    ...mistake,
    code: 700025,
    sentence: () =>
      "Client is public so neither 'client_assertion' nor 'client_secret' should be presented.",
    when: 'the client is registered as a public client',
    remedy: 'Register a confidential client. A public client cannot use this grant type.',
  },
  secret_wrong: {
    ...guess,
    code: 7000215,
    sentence: ({ clientId }: Texts<'clientId'>) =>
      `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
    when: 'the client has no such secret',
    remedy: 'Send the value of the secret, not its ID, and URL-encode it.',
    clientRemedy:
      "Use the secret's value, not its id, and check that it is a secret of this client. A new secret may take some seconds to work everywhere.",
  },
  secret_not_yet_valid: {
    ...mistake,
    code: 7000215,
    sentence: ({ clientId, now, validFrom }: { clientId: string; now: Date; validFrom: Date }) =>
      `The client secret provided for app '${clientId}' is not valid yet. Current time: ${timeText(now)}, secret valid from ${timeText(validFrom)}.`,
    when: 'the secret is not valid yet',
    remedy: 'Wait for the start of the secret, or check the clock of the identity provider.',
  },
  secret_expired: {
    ...mistake,
    code: 7000222,
    sentence: ({ clientId }: Texts<'clientId'>) =>
      `The provided client secret keys for app '${clientId}' are expired. Visit the Azure portal to create new keys for your app: https://aka.ms/NewClientSecret, or consider using certificate credentials for added security: https://aka.ms/certCreds.`,
    when: 'the secret has expired',
    remedy: 'Add a new secret, give it to the client, then remove the old one.',
    clientRemedy: 'The client secret has expired. Create a new one for this client, and use it.',
  },
  secret_not_allowed: {
    ...mistake,
    code: 7000215,
    sentence: ({ clientId }: Texts<'clientId'>) =>
      `Client secrets are not allowed for app '${clientId}'. Use a client assertion.`,
    when: 'the client must not use secrets',
    remedy: 'Use a certificate or a federated identity credential for this client.',
  },
  assertion_malformed: {
    ...invalidRequest,
    code: 50027,
    sentence: () => 'JWT token is invalid or malformed.',
    when: 'the assertion is not a JWT',
    remedy: 'The assertion must be one signed JWT in compact form.',
  },
  assertion_claim_missing: {
    ...invalidRequest,
    code: 90014,
    sentence: ({ claim }: Texts<'claim'>) =>
      `The required field '${claim}' is missing from the credential. Ensure that you have all the necessary parameters for the login request.`,
    when: 'the assertion lacks a claim',
    remedy: 'Add the claim to the assertion.',
  },
  assertion_type_unsupported: {
    ...invalidRequest,
    code: 5002727,
    sentence: () =>
      "Invalid JWT header type specified. Allowed types: 'JWT','http://openid.net/specs/jwt/1.0'.",
    when: 'the header of the assertion has another typ than JWT',
    remedy: 'Set typ of the assertion to JWT, or omit it. An access token is not an assertion.',
  },
  assertion_algorithm_unsupported: {
    ...mistake,
    code: 5002738,
    sentence: ({ algorithm }: Texts<'algorithm'>) =>
      `Invalid JWT token. '${algorithm}' is not a supported signature algorithm. Supported signing algorithms are: 'RS256,RS384,RS512'`,
    when: 'the assertion is signed with another algorithm',
    remedy:
      'Sign the assertion with PS256, RS256, RS384 or RS512, by a key of this kind. An issuer must sign with RS256.',
  },
  assertion_key_missing: {
    ...mistake,
    code: 5002723,
    sentence: () =>
      'Invalid JWT token. No certificate SHA-1 thumbprint, certificate SHA-256 thumbprint, nor keyId specified in token header.',
    when: 'the header of the assertion names no certificate',
    remedy: 'Add x5t#S256 to the header of the assertion. A token of an issuer needs kid.',
  },
  assertion_client_wrong: {
    ...mistake,
    code: 700021,
    sentence: () =>
      `Client assertion application identifier doesn't match 'client_id' parameter. ${certificateGuide}`,
    when: 'the assertion names another client',
    remedy: 'Set both iss and sub of the assertion to the client ID.',
  },
  assertion_audience_wrong: {
    ...mistake,
    code: 700023,
    sentence: () =>
      `Client assertion audience claim does not match Realm issuer. ${certificateGuide}`,
    when: 'the assertion is for another audience',
    remedy:
      'Set aud of the assertion to one value: the token endpoint or the issuer of this tenant.',
  },
  assertion_time_invalid: {
    ...mistake,
    code: 700024,
    sentence: ({
      now,
      validFrom,
      expiresAt,
    }: {
      now: Date
      validFrom: Date | null
      expiresAt: Date
    }) =>
      `Client assertion is not within its valid time range. Current time: ${timeText(now)}, assertion valid from ${timeText(validFrom ?? new Date(0))}, expiry time of assertion ${timeText(expiresAt)}. ${certificateGuide}`,
    when: 'the assertion has expired, or is not valid yet',
    remedy: newAssertion,
    clientRemedy:
      'Set the clock of this machine, or read a new token of the issuer. The assertion was outside its time range.',
  },
  assertion_lifetime_too_long: {
    ...mistake,
    code: 700024,
    sentence: () =>
      `Client assertion is not within its valid time range: it expires too far in the future. ${certificateGuide}`,
    when: 'the assertion is valid for too long',
    remedy: 'Set exp to 5 to 10 minutes after iat.',
  },
  assertion_key_unknown: {
    ...guess,
    code: 700027,
    sentence: ({ key, clientId }: Texts<'key' | 'clientId'>) =>
      `The certificate with identifier used to sign the client assertion is not registered on application. [Reason - The key was not found., Thumbprint of key used by client: '${key}', ${seeKeys(clientId)}`,
    when: 'the certificate is not registered at the client',
    remedy: 'Add the certificate to the registration of the client.',
    clientRemedy: 'Register the certificate for this client, or use the registered one.',
  },
  assertion_key_expired: {
    ...mistake,
    code: 1000502,
    sentence: () => 'The provided certificate is not within its specified validity period.',
    when: 'the certificate has expired, or is not valid yet',
    remedy: 'Add a new certificate, switch the client to it, then remove the old one.',
    clientRemedy: 'Replace the certificate. It has expired, or is not valid yet.',
  },
  assertion_key_unsafe: {
    ...mistake,
    code: 700027,
    sentence: ({ key, clientId }: Texts<'key' | 'clientId'>) =>
      `Client assertion failed signature validation. [Reason - The key used does not meet the requirements for RSA keys., Thumbprint of key used by client: '${key}', ${seeKeys(clientId)}`,
    when: 'the key of the certificate is not safe',
    remedy: 'Register a certificate with an RSA key of 2048 to 8192 bits and the exponent 65537.',
  },
  assertion_signature_invalid: {
    ...guess,
    code: 700027,
    sentence: ({ key, clientId }: Texts<'key' | 'clientId'>) =>
      `Client assertion failed signature validation. [Reason - The provided signature value did not match the expected signature value., Thumbprint of key used by client: '${key}', ${seeKeys(clientId)}`,
    when: 'the signature of the assertion is wrong',
    remedy: 'Sign with the private key of the certificate in the header.',
  },
  assertion_replayed: {
    ...mistake,
    code: 700027,
    sentence: () =>
      'Client assertion failed validation. [Reason - The assertion was already used.]',
    when: 'the assertion was used before',
    remedy: 'Create a new assertion with a new jti for every request.',
  },
  ...federationRefusalRows,
} satisfies RefusalRows<'authentication'>

// Seven digits, as in the round-trip format of .NET.
const timeText = (date: Date) => date.toISOString().replace('Z', '0000Z')
