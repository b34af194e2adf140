import { authenticationRefusalRows, wrongTenant } from './authentication-refusal-rows.ts'
import type { RefusalRows, Texts } from './refusal-row.ts'

const inAccess = {
  phase: 'access',
  isGuess: false,
  isOutage: false,
  status: 400,
  hasErrorUri: true,
  clientRemedy: null,
} as const
const unauthorizedClient = { ...inAccess, error: 'unauthorized_client', check: 'client' } as const
const invalidResource = { ...inAccess, error: 'invalid_resource', check: 'scope' } as const

/** Refusals of a client that has authenticated. */
export const accessRefusalRows = {
  service_principal_missing: {
    ...inAccess,
    status: 401,
    error: 'invalid_client',
    code: 7000229,
    check: 'client',
    sentence: ({ clientId, tenantId }: Texts<'clientId' | 'tenantId'>) =>
      `The client application ${clientId} is missing service principal in the tenant ${tenantId}. See instructions here: https://go.microsoft.com/fwlink/?linkid=2225119`,
    when: 'the client has no service principal in this tenant',
    remedy:
      'Create the service principal of the client: POST /v1.0/servicePrincipals with its appId.',
    clientRemedy:
      'Ask an administrator to create the service principal of this client in the tenant.',
  },
  client_disabled: {
    ...unauthorizedClient,
    code: 7000112,
    sentence: ({ clientId, clientName }: Texts<'clientId' | 'clientName'>) =>
      `Application '${clientId}'(${clientName}) is disabled.`,
    when: 'the client is disabled',
    remedy: 'An administrator disabled the client. An administrator must enable it.',
    clientRemedy: 'The client is disabled. Ask an administrator to enable its service principal.',
  },
  resource_unknown: {
    ...invalidResource,
    code: 500011,
    sentence: ({ resource, tenantId }: Texts<'resource' | 'tenantId'>) =>
      `The resource principal named ${resource} was not found in the tenant named ${tenantId}. ${wrongTenant} You might have sent your authentication request to the wrong tenant.`,
    when: 'the tenant has no such API',
    remedy:
      'Compare the scope with the identifier URI of the API. The API needs a service principal in this tenant.',
    clientRemedy:
      'Check the scope. The API is not registered in this tenant, or has no service principal there.',
  },
  resource_disabled: {
    ...invalidResource,
    code: 500014,
    sentence: ({ resource }: Texts<'resource'>) =>
      `The service principal for resource '${resource}' is disabled. This indicate that a subscription within the tenant has lapsed, or that the administrator for this tenant has disabled the application, preventing tokens from being issued for it.`,
    when: 'the API is disabled',
    remedy: 'An administrator disabled the API. An administrator must enable it.',
  },
  mapped_claims_not_accepted: {
    ...inAccess,
    error: 'invalid_request',
    code: 50146,
    check: 'scope',
    sentence: () =>
      "This application is required to be configured with an application-specific signing key. It is either not configured with one, or the key has expired or is not yet valid. Please contact the application's administrator.",
    when: 'the API has a claims mapping policy, and does not accept mapped claims',
    remedy: 'Set api.acceptMappedClaims of the API to true, or unassign the policy.',
  },
  resource_parameter_differs: {
    ...inAccess,
    error: 'invalid_target',
    code: 9010010,
    check: null,
    hasErrorUri: false,
    sentence: () =>
      "The resource parameter provided in the request doesn't match with the requested scopes.",
    when: 'resource is not an identifier URI of the API in scope',
    remedy:
      'Send an identifier URI of the API as resource, or no resource. A URL counts when the API has it as an identifier URI.',
    clientRemedy:
      "Set `resourceParameter` of mcpAuth() to never, or make the server's URL an identifier URI of the API.",
  },
  role_required: {
    ...inAccess,
    error: 'invalid_grant',
    code: 501051,
    check: 'roles',
    sentence: ({
      clientId,
      clientName,
      resource,
      resourceName,
    }: Texts<'clientId' | 'clientName' | 'resource' | 'resourceName'>) =>
      `Application '${clientId}'(${clientName}) is not assigned to a role for the application '${resource}'(${resourceName}).`,
    when: 'the API requires a role, and the client has none',
    remedy:
      'Grant admin consent for a role of the API. A requested permission alone grants nothing.',
    clientRemedy:
      'Grant this client a role of the API: add it to the application permissions that the client requests, then grant admin consent.',
  },
  agent_unknown: {
    ...unauthorizedClient,
    code: 700016,
    sentence: authenticationRefusalRows.client_unknown.sentence,
    when: 'fmi_path names no agent of the blueprint',
    remedy: 'Send the client ID of an agent that this blueprint has in this tenant.',
  },
  agent_path_missing: {
    ...inAccess,
    error: 'invalid_request',
    code: 82008,
    check: 'client',
    sentence: () =>
      'All agentic applications requesting a token exchange token must include the fmipath parameter on the token request.',
    when: 'a blueprint requests a token for token exchange without fmi_path',
    remedy: 'Send fmi_path=<client ID of the agent> in the body, not in the query.',
    clientRemedy:
      'Request the token of an agent with agentIdentity(), because this client is a blueprint.',
  },
  // Entra ID's answer to this is unknown, so the code is inferred.
  agent_path_unexpected: {
    ...inAccess,
    error: 'invalid_request',
    code: 90100,
    check: null,
    hasErrorUri: false,
    sentence: () =>
      "The parameter 'fmi_path' is only for an agent identity blueprint that requests a token for api://AzureADTokenExchange.",
    when: 'a request that is not for an agent has fmi_path',
    remedy: 'Omit fmi_path, or send the client ID of a blueprint.',
  },
  agent_resource_not_permitted: {
    ...unauthorizedClient,
    code: 82001,
    sentence: ({ clientId, resourceId }: Texts<'clientId' | 'resourceId'>) =>
      `Agentic application '${clientId}' is not permitted to request app-only tokens for resource '${resourceId}'.`,
    when: 'a blueprint requests a token for an API as itself',
    remedy:
      'Request a token for api://AzureADTokenExchange with fmi_path, and present it as the assertion of the agent.',
    clientRemedy:
      'A blueprint has tokens for Microsoft Graph only. Request the token of one of its agents with agentIdentity().',
  },
} satisfies RefusalRows<'access'>
