import type { RefusalRows, Texts } from './refusal-row.ts'

const inRequest = {
  phase: 'request',
  isGuess: false,
  isOutage: false,
  hasErrorUri: true,
  check: null,
  clientRemedy: null,
} as const
const invalidRequest = { ...inRequest, status: 400, error: 'invalid_request' } as const
const invalidScope = { ...invalidRequest, error: 'invalid_scope', check: 'scope' } as const
/**
 * The dialect has no known code for these. OAuth 2.0 defines the error, and the code is that of any
 * invalid parameter.
 */
const byOAuth = { ...invalidRequest, code: 90100, hasErrorUri: false } as const
const scopeRemedy = 'The scope must be the identifier URI of the API followed by /.default.'
const seeGuide = 'Send the request as docs/guides/identity-provider.md shows it.'

/** Refusals of requests that cannot be read or served. */
export const requestRefusalRows = {
  method_not_allowed: {
    ...inRequest,
    status: 405,
    error: 'invalid_request',
    code: 900561,
    sentence: ({ method }: Texts<'method'>) =>
      `The endpoint only accepts POST, OPTIONS requests. Received a ${method} request.`,
    when: 'the method is not POST',
    remedy: 'Use POST.',
  },
  // The body is not parsed if it is not a form, so its first parameter counts as missing.
  body_not_form: {
    ...invalidRequest,
    code: 900144,
    sentence: () => "The request body must contain the following parameter: 'grant_type'.",
    when: 'the body is not a form',
    remedy:
      'Send the parameters as application/x-www-form-urlencoded, or as multipart/form-data with its boundary, not as JSON.',
  },
  body_too_large: {
    ...byOAuth,
    status: 413,
    sentence: () => 'The request body is larger than 64 KB.',
    when: 'the body is larger than 64 KB',
    remedy: seeGuide,
  },
  body_incomplete: {
    ...byOAuth,
    sentence: () => 'The request body is incomplete.',
    when: 'the body ends before its announced length',
    remedy: 'Send the whole body. If the client does so, check the proxies in between.',
  },
  too_many_parameters: {
    ...byOAuth,
    sentence: () => 'The request body contains more than 50 parameters.',
    when: 'the form has more than 50 parameters',
    remedy: seeGuide,
  },
  parameter_malformed: {
    ...byOAuth,
    sentence: () =>
      'The request body is not well-formed UTF-8 in URL encoding, or has a part that is no text.',
    when: 'a value is not URL-encoded UTF-8, or a part of multipart/form-data is a file or damaged',
    remedy:
      'URL-encode each value, for example with --data-urlencode of curl. In multipart/form-data, send texts only.',
  },
  parameter_repeated: {
    ...invalidRequest,
    code: 9000411,
    sentence: ({ parameter }: Texts<'parameter'>) =>
      `The request is not properly formatted. The parameter '${parameter}' is duplicated.`,
    when: 'a parameter occurs twice',
    remedy: 'Send every parameter once.',
  },
  parameter_missing: {
    ...invalidRequest,
    code: 900144,
    sentence: ({ parameter }: Texts<'parameter'>) =>
      `The request body must contain the following parameter: '${parameter}'.`,
    when: 'a parameter is missing or empty',
    remedy: 'Add the parameter. An empty value counts as missing.',
  },
  credential_in_query: {
    ...byOAuth,
    sentence: () => 'Credentials must not be sent in the URL.',
    when: 'the URL contains a secret or an assertion',
    remedy: 'Send credentials in the body. Replace these credentials, because logs contain URLs.',
  },
  header_repeated: {
    ...byOAuth,
    sentence: ({ header }: Texts<'header'>) =>
      `The request contains the following header more than once: '${header}'.`,
    when: 'a header occurs twice',
    remedy: 'Send the header once.',
  },
  grant_type_unsupported: {
    ...invalidRequest,
    error: 'unsupported_grant_type',
    code: 70003,
    hasErrorUri: false,
    sentence: ({ grant }: Texts<'grant'>) =>
      `The app requested an unsupported grant type '${grant}'.`,
    when: 'grant_type is not client_credentials',
    remedy: 'Use client_credentials. This server supports no other grant type.',
  },
  client_id_malformed: {
    ...invalidRequest,
    error: 'unauthorized_client',
    code: 700038,
    check: 'client',
    hasErrorUri: false,
    sentence: ({ clientId }: Texts<'clientId'>) =>
      `${clientId} is not a valid application identifier.`,
    when: 'the client ID is not a GUID',
    remedy: 'Use the application (client) ID of the registration, a GUID.',
  },
  client_ids_differ: {
    ...byOAuth,
    sentence: () => "The 'client_id' parameter is not the user of the 'Authorization' header.",
    when: 'the form and the header name different clients',
    remedy: 'Send the same client ID in both places.',
  },
  basic_malformed: {
    ...inRequest,
    status: 401,
    error: 'invalid_client',
    code: 7000216,
    sentence: () =>
      "The 'Authorization' header must be of the scheme 'Basic', with the URL-encoded client id and secret.",
    when: 'the header for basic authentication cannot be read',
    remedy: 'URL-encode ID and secret, join them with a colon, and encode the result in base64.',
  },
  several_client_authentications: {
    ...invalidRequest,
    code: 9002324,
    hasErrorUri: false,
    sentence: () =>
      "Request should not contain more than one client credential parameters, this includes 'client_secret', 'client_assertion' and 'request' parameters.",
    when: 'the request authenticates the client twice',
    remedy: 'Authenticate the client with one method. The Authorization header is one too.',
  },
  client_authentication_missing: {
    ...inRequest,
    status: 401,
    error: 'invalid_client',
    code: 7000216,
    check: 'credential',
    sentence: () =>
      "'client_assertion', 'client_secret' or 'request' is required for the 'client_credentials' grant type.",
    when: 'the request has no credential',
    remedy: 'Send the client secret, or an assertion signed with a certificate of the client.',
    clientRemedy: 'Use a client secret, a certificate or a federated assertion.',
  },
  assertion_type_unknown: {
    ...byOAuth,
    status: 401,
    error: 'invalid_client',
    sentence: () =>
      "The 'client_assertion_type' must be 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'.",
    when: 'the type of the assertion is unknown',
    remedy: 'Use exactly this type.',
  },
  scope_missing: {
    ...invalidRequest,
    code: 90014,
    sentence: () =>
      "The required field 'scope' is missing from the credential. Ensure that you have all the necessary parameters for the login request.",
    when: 'the scope is missing',
    remedy: 'Add scope=api://<application ID of the API>/.default.',
  },
  scope_not_default: {
    ...invalidScope,
    code: 1002012,
    hasErrorUri: false,
    sentence: ({ scope }: Texts<'scope'>) =>
      `The provided value for scope ${scope} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).`,
    when: 'the scope does not end in /.default',
    remedy:
      'Request <identifier URI>/.default. The token contains all granted roles; single roles cannot be requested.',
    clientRemedy: scopeRemedy,
  },
  scope_malformed: {
    ...invalidScope,
    code: 70011,
    hasErrorUri: false,
    sentence: ({ scope }: Texts<'scope'>) =>
      `The provided request must include a 'scope' input parameter. The provided value for the input parameter 'scope' is not valid. The scope ${scope} is not valid.`,
    when: 'the scope names no API',
    remedy: 'The text before /.default must be an identifier URI or an application ID.',
    clientRemedy: scopeRemedy,
  },
  scope_has_several_resources: {
    ...invalidScope,
    code: 700022,
    sentence: ({ scope }: Texts<'scope'>) =>
      `The provided value for scope ${scope} isn't valid because it contains more than one resource.`,
    when: 'the scope names several APIs',
    remedy: 'Request one token for each API.',
  },
  resource_parameter_unsupported: {
    ...invalidRequest,
    code: 901002,
    sentence: () => "The 'resource' request parameter isn't supported.",
    when: 'the v2.0 endpoint receives resource, and the path names no tenant',
    remedy: 'Name the tenant in the path.',
    clientRemedy: 'Set `resourceParameter` of mcpAuth() to never.',
  },
  claims_parameter_malformed: {
    ...invalidRequest,
    code: 50117,
    sentence: () => "Failed to deserialize policy specified in the request's claim parameter.",
    when: 'claims is not a JSON object',
    remedy:
      'Send a JSON object, as in {"access_token":{"xms_cc":{"values":["cp1"]}}}, or no claims.',
  },
  // Entra ID issues such tokens. Its answers where it cannot are unknown, so these codes are inferred.
  token_type_unsupported: {
    ...byOAuth,
    sentence: () =>
      "The value of the parameter 'token_type' is not supported. This server issues tokens of the type 'Bearer' only.",
    when: 'the request is for a token of another type than Bearer',
    remedy:
      'Request no proof-of-possession token. Tokens can be bound to a client certificate: docs/guides/federated-credentials.md.',
  },
  parameter_unsupported: {
    ...byOAuth,
    sentence: ({ parameter }: Texts<'parameter'>) =>
      `The parameter '${parameter}' is not supported by this server.`,
    when: 'the request has a parameter that this server does not support',
    remedy:
      'Omit the parameter. There are no keys of clients in tokens (req_cnf), and fmi_path is the client ID of an agent.',
  },
  tenant_malformed: {
    ...invalidRequest,
    code: 900023,
    sentence: ({ tenant }: Texts<'tenant'>) =>
      `Specified tenant identifier '${tenant}' is neither a valid DNS name, nor a valid external domain.`,
    when: 'the tenant in the path is neither an ID nor a domain',
    remedy: 'Use the ID or a domain of the tenant.',
    clientRemedy: 'The tenant must be a GUID or a domain name.',
  },
  tenant_empty: {
    ...invalidRequest,
    code: 900021,
    sentence: ({ tenant }: Texts<'tenant'>) =>
      `Requested tenant identifier '${tenant}' is not valid. Tenant identifiers may not be an empty GUID.`,
    when: 'the tenant in the path is the empty GUID',
    remedy: 'Use the ID or a domain of the tenant.',
  },
  tenant_missing: {
    ...invalidRequest,
    code: 50059,
    sentence: () =>
      'No tenant-identifying information found in either the request or implied by any provided credentials.',
    when: 'the path names no tenant',
    remedy: 'Name the tenant in the path. A client without a user has no home tenant.',
  },
  tenant_is_consumers: {
    ...invalidRequest,
    code: 9001023,
    sentence: () =>
      'The grant type is not supported over the /common or /consumers endpoints. Please use the /organizations or tenant-specific endpoint.',
    when: 'the path names consumers or common',
    remedy: 'Name the tenant in the path.',
  },
  tenant_unknown_at_discovery: {
    ...invalidRequest,
    error: 'invalid_tenant',
    code: 90002,
    sentence: ({ tenant }: Texts<'tenant'>) =>
      `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud. Check with your subscription administrator, this may happen if there are no active subscriptions for the tenant.`,
    when: 'a document is requested for a tenant that does not exist',
    remedy: 'Check the tenant ID or domain.',
  },
  instance_unknown: {
    ...invalidRequest,
    error: 'invalid_instance',
    code: 50049,
    sentence: () => 'Unknown or invalid instance.',
    when: 'the client queries an authority that this server does not have',
    remedy: 'Use an authority of this server, or disable instance discovery in the client.',
  },
  instance_api_version_unsupported: {
    ...invalidRequest,
    code: 500501,
    hasErrorUri: false,
    sentence: () => "The 'api-version' parameter is missing or not supported.",
    when: 'api-version is missing or not supported',
    remedy: 'Use api-version=1.1.',
  },
  instance_parameters_invalid: {
    ...invalidRequest,
    code: 500502,
    hasErrorUri: false,
    sentence: () =>
      "Exactly one of the parameters 'issuer' and 'authorization_endpoint' must be given.",
    when: 'the request has both parameters, or none',
    remedy: 'Send only authorization_endpoint.',
  },
  instance_not_https: {
    ...invalidRequest,
    code: 50050,
    sentence: () => 'The authorization endpoint must use the https scheme.',
    when: 'the authority does not use https',
    remedy: 'Use an https URL.',
  },
  throttled: {
    ...inRequest,
    status: 429,
    error: 'temporarily_unavailable',
    code: 90055,
    sentence: () => 'Too many refused requests. Try again later.',
    when: 'the same source sent too many refused requests',
    remedy: 'Correct the request. Correct requests are not limited.',
  },
  unavailable: {
    ...inRequest,
    status: 503,
    error: 'temporarily_unavailable',
    code: 90033,
    sentence: () => 'A transient error has occurred. Please try again.',
    when: 'the store did not answer',
    remedy: 'Wait for the seconds of Retry-After. The log of the server has the reason.',
  },
  internal: {
    ...inRequest,
    status: 500,
    error: 'server_error',
    code: 50000,
    sentence: () => "There's an issue with the sign-in service.",
    when: 'the server has a fault',
    remedy: 'Send the trace ID to the operator. The log of the server has the reason.',
  },
} satisfies RefusalRows<'request'>
