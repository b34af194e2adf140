import { emptyGuid } from '@greeting/directory'
import { StorageUnavailableError } from '@greeting/directory/live'
import { type RefusalScenario, refused } from './refusal-scenario.ts'
import { apiId, clientId, scope, tenantId } from './test-service.ts'

const missing = (parameter: string) =>
  `The request body must contain the following parameter: '${parameter}'.`
const byOAuth = refused(400, 'invalid_request', 90100, false)
const severalCredentials =
  "Request should not contain more than one client credential parameters, this includes 'client_secret', 'client_assertion' and 'request' parameters."
const tokenPath = (tenant: string) => `/${tenant}/oauth2/v2.0/token`
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(user)}:${encodeURIComponent(password)}`).toString('base64')}`

/** The causes of requests that cannot be read or served (entra E91 to E133). */
export const requestRefusalScenarios: readonly RefusalScenario[] = [
  {
    reason: 'method_not_allowed',
    request: () => ({ method: 'GET' }),
    ...refused(405, 'invalid_request', 900561),
    text: 'The endpoint only accepts POST, OPTIONS requests. Received a GET request.',
  },
  {
    reason: 'body_not_form',
    when: 'the body is JSON',
    request: (service) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(service.form()),
    }),
    ...refused(400, 'invalid_request', 900144),
    text: missing('grant_type'),
  },
  {
    reason: 'body_too_large',
    request: (service) => ({ form: service.form({ x: 'x'.repeat(64 * 1024) }) }),
    ...byOAuth,
    status: 413,
    text: 'The request body is larger than 64 KB.',
  },
  {
    reason: 'too_many_parameters',
    request: () => ({ body: Array.from({ length: 51 }, (_, i) => `p${i}=1`).join('&') }),
    ...byOAuth,
    text: 'The request body contains more than 50 parameters.',
  },
  {
    reason: 'parameter_malformed',
    request: () => ({ body: 'grant_type=%FF' }),
    ...byOAuth,
    text: 'The request body is not well-formed UTF-8 in URL encoding, or has a part that is no text.',
  },
  {
    reason: 'parameter_malformed',
    when: 'the bytes are not UTF-8',
    request: () => ({ body: new Uint8Array([0x61, 0x3d, 0xff]) }),
    ...byOAuth,
    text: 'The request body is not well-formed UTF-8 in URL encoding, or has a part that is no text.',
  },
  {
    reason: 'parameter_repeated',
    request: (service) => ({ body: `${new URLSearchParams(service.form())}&scope=x` }),
    ...refused(400, 'invalid_request', 9000411),
    text: "The request is not properly formatted. The parameter 'scope' is duplicated.",
  },
  {
    reason: 'parameter_repeated',
    when: 'resource, which RFC 8707 permits twice',
    request: (service) => ({
      body: `${new URLSearchParams(service.form({ resource: `api://${apiId}` }))}&resource=x`,
    }),
    ...refused(400, 'invalid_request', 9000411),
    text: "The request is not properly formatted. The parameter 'resource' is duplicated.",
  },
  ...['grant_type', 'client_id'].map(
    (parameter): RefusalScenario => ({
      reason: 'parameter_missing',
      when: parameter,
      request: (service) => ({ form: service.form({ [parameter]: '' }) }),
      ...refused(400, 'invalid_request', 900144),
      text: missing(parameter),
    }),
  ),
  {
    reason: 'parameter_missing',
    when: 'resource, at the v1 endpoint',
    request: (service) => ({ path: `/${tenantId}/oauth2/token`, form: service.form() }),
    ...refused(400, 'invalid_request', 900144),
    text: missing('resource'),
  },
  {
    reason: 'parameter_missing',
    when: 'client_assertion_type',
    request: (service) => ({ form: service.form({ client_secret: '', client_assertion: 'x' }) }),
    ...refused(400, 'invalid_request', 900144),
    text: missing('client_assertion_type'),
  },
  {
    reason: 'credential_in_query',
    request: (service) => ({
      path: `${tokenPath(tenantId)}?client_secret=${service.secret}`,
      form: service.form({ client_secret: '' }),
    }),
    ...byOAuth,
    text: 'Credentials must not be sent in the URL.',
  },
  {
    reason: 'header_repeated',
    request: (service) => ({
      headers: { authorization: [basic(clientId, service.secret), 'Basic !'] },
      form: service.form({ client_secret: '' }),
    }),
    ...byOAuth,
    text: "The request contains the following header more than once: 'authorization'.",
  },
  {
    reason: 'grant_type_unsupported',
    request: (service) => ({ form: service.form({ grant_type: 'no_such_grant' }) }),
    ...refused(400, 'unsupported_grant_type', 70003, false),
    text: "The app requested an unsupported grant type 'no_such_grant'.",
  },
  {
    reason: 'grant_type_unsupported',
    when: 'it is password (AS9)',
    request: (service) => ({ form: service.form({ grant_type: 'password' }) }),
    ...refused(400, 'unsupported_grant_type', 70003, false),
    text: "The app requested an unsupported grant type 'password'.",
  },
  ...[emptyGuid, 'greeting client', 'x'.repeat(101)].map(
    (id): RefusalScenario => ({
      reason: 'client_id_malformed',
      when: id,
      request: (service) => ({ form: service.form({ client_id: id }) }),
      ...refused(400, 'unauthorized_client', 700038, false),
      text: `${id} is not a valid application identifier.`,
    }),
  ),
  {
    reason: 'client_ids_differ',
    request: (service) => ({
      headers: { authorization: basic(clientId, service.secret) },
      form: service.form({ client_id: apiId, client_secret: '' }),
    }),
    ...byOAuth,
    text: "The 'client_id' parameter is not the user of the 'Authorization' header.",
  },
  {
    reason: 'basic_malformed',
    request: (service) => ({
      headers: { authorization: 'Basic !' },
      form: service.form({ client_secret: '' }),
    }),
    ...refused(401, 'invalid_client', 7000216),
    text: /^The 'Authorization' header must be of the scheme 'Basic'/,
  },
  {
    reason: 'several_client_authentications',
    when: 'Basic and body (AS3)',
    request: (service) => ({
      headers: { authorization: basic(clientId, service.secret) },
      form: service.form(),
    }),
    ...refused(400, 'invalid_request', 9002324, false),
    text: severalCredentials,
  },
  {
    reason: 'several_client_authentications',
    when: 'secret and assertion (CVE-2026-16093, AS10)',
    request: (service) => ({ form: service.form({ client_assertion: 'a.b.c' }) }),
    ...refused(400, 'invalid_request', 9002324, false),
    text: severalCredentials,
  },
  {
    reason: 'client_authentication_missing',
    request: (service) => ({ form: service.form({ client_secret: '' }) }),
    ...refused(401, 'invalid_client', 7000216),
    text: "'client_assertion', 'client_secret' or 'request' is required for the 'client_credentials' grant type.",
  },
  {
    reason: 'assertion_type_unknown',
    request: (service) => ({
      form: service.form({
        client_secret: '',
        client_assertion: 'a.b.c',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      }),
    }),
    ...byOAuth,
    status: 401,
    error: 'invalid_client',
    text: /^The 'client_assertion_type' must be/,
  },
  {
    reason: 'scope_missing',
    when: 'resource cannot replace it',
    request: (service) => ({ form: service.form({ scope: '', resource: `api://${apiId}` }) }),
    ...refused(400, 'invalid_request', 90014),
    text: "The required field 'scope' is missing from the credential. Ensure that you have all the necessary parameters for the login request.",
  },
  {
    reason: 'scope_not_default',
    request: (service) => ({ form: service.form({ scope: `api://${apiId}/CallHiApiRole` }) }),
    ...refused(400, 'invalid_scope', 1002012, false),
    text: `The provided value for scope api://${apiId}/CallHiApiRole is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).`,
  },
  {
    reason: 'scope_malformed',
    request: (service) => ({ form: service.form({ scope: 'user.read/.default' }) }),
    ...refused(400, 'invalid_scope', 70011, false),
    text: "The provided request must include a 'scope' input parameter. The provided value for the input parameter 'scope' is not valid. The scope user.read/.default is not valid.",
  },
  {
    reason: 'scope_has_several_resources',
    request: (service) => ({ form: service.form({ scope: `${scope} https://other/.default` }) }),
    ...refused(400, 'invalid_scope', 700022),
    text: /isn't valid because it contains more than one resource\.$/,
  },
  {
    reason: 'resource_parameter_unsupported',
    when: 'common',
    request: (service) => ({
      path: tokenPath('common'),
      form: service.form({ resource: `api://${apiId}` }),
    }),
    ...refused(400, 'invalid_request', 901002),
    text: "The 'resource' request parameter isn't supported.",
  },
  ...['{', '[]', 'null', '"xms_cc"', 'xms_cc'].map(
    (claims): RefusalScenario => ({
      reason: 'claims_parameter_malformed',
      when: claims,
      request: (service) => ({ form: service.form({ claims }) }),
      ...refused(400, 'invalid_request', 50117),
      text: "Failed to deserialize policy specified in the request's claim parameter.",
    }),
  ),
  ...['pop', 'mtls_pop', 'ssh-cert'].map(
    (token_type): RefusalScenario => ({
      reason: 'token_type_unsupported',
      when: token_type,
      request: (service) => ({ form: service.form({ token_type, req_cnf: 'e30' }) }),
      ...byOAuth,
      text: "The value of the parameter 'token_type' is not supported. This server issues tokens of the type 'Bearer' only.",
    }),
  ),
  ...[
    ['req_cnf', clientId],
    ['fmi_path', 'SomeFmiPath/FmiCredentialPath'],
    ['fmi_path', 'x'.repeat(5000)],
  ].map(
    ([parameter = '', value = '']): RefusalScenario => ({
      reason: 'parameter_unsupported',
      when: `${parameter} is ${value.slice(0, 30)}`,
      request: (service) => ({ form: service.form({ [parameter]: value }) }),
      ...byOAuth,
      text: `The parameter '${parameter}' is not supported by this server.`,
    }),
  ),
  {
    reason: 'tenant_malformed',
    request: (service) => ({ path: tokenPath('contoso'), form: service.form() }),
    ...refused(400, 'invalid_request', 900023),
    text: "Specified tenant identifier 'contoso' is neither a valid DNS name, nor a valid external domain.",
  },
  {
    reason: 'tenant_empty',
    request: (service) => ({ path: tokenPath(emptyGuid), form: service.form() }),
    ...refused(400, 'invalid_request', 900021),
    text: `Requested tenant identifier '${emptyGuid}' is not valid. Tenant identifiers may not be an empty GUID.`,
  },
  ...['common', 'organizations', 'Organizations'].map(
    (tenant): RefusalScenario => ({
      reason: 'tenant_missing',
      when: tenant,
      request: (service) => ({ path: tokenPath(tenant), form: service.form() }),
      ...refused(400, 'invalid_request', 50059),
      text: 'No tenant-identifying information found in either the request or implied by any provided credentials.',
    }),
  ),
  {
    reason: 'tenant_is_consumers',
    request: (service) => ({ path: tokenPath('consumers'), form: service.form() }),
    ...refused(400, 'invalid_request', 9001023),
    text: 'The grant type is not supported over the /common or /consumers endpoints. Please use the /organizations or tenant-specific endpoint.',
  },
  {
    reason: 'unavailable',
    options: {
      directory: {
        read: () => Promise.reject(new StorageUnavailableError('The database canary is away.')),
      },
    },
    request: (service) => ({ form: service.form() }),
    ...refused(503, 'temporarily_unavailable', 90033),
    text: 'A transient error has occurred. Please try again.',
  },
  {
    reason: 'internal',
    options: {
      keys: { sign: () => Promise.reject(new Error('canary')), published: () => [] },
    },
    request: (service) => ({ form: service.form() }),
    ...refused(500, 'server_error', 50000),
    text: "There's an issue with the sign-in service.",
  },
]
