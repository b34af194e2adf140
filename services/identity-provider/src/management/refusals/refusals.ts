// Folder: The errors of the management APIs: one row for each.

import { agentRefusals, badRequest, type Refusal } from './agent-refusals.ts'

/** A refusal by a policy. Its sentence comes with the fault. */
const ofFault = { status: 400, sentence: (sentence: string) => sentence } as const

/** The refusals by app management policies, and by the lock of an application. */
const policyRefusals = {
  locked_by_application: { ...ofFault, code: 'CannotUpdateLockedServicePrincipalProperty' },
  lifetime_exceeds_policy: { ...ofFault, code: 'CredentialInvalidLifetimeAsPerAppPolicy' },
  credential_forbidden_by_policy: { ...ofFault, code: 'CredentialTypeNotAllowedAsPerAppPolicy' },
  identifier_uri_forbidden_by_policy: { ...ofFault, code: 'HostNameNotOnVerifiedDomain' },
  identifier_uri_without_tenant: {
    ...ofFault,
    code: 'InvalidUniqueTenantIdentifierAsPerAppPolicy',
  },
  audience_forbidden_by_policy: { ...ofFault, code: 'SignInAudienceNotAllowedAsPerAppPolicy' },
} satisfies Readonly<Record<string, Refusal>>

/** The refusals of references between objects, and of assignments, which refer to two objects. */
const referenceRefusals = {
  reference_invalid: { ...badRequest, sentence: () => 'Not a valid reference update.' },
  assignment_taken: {
    ...badRequest,
    sentence: () => 'Permission being assigned already exists on the object',
  },
  assigned_role_unknown: {
    ...badRequest,
    sentence: () => 'Permission being assigned was not found on application',
  },
  reference_taken: {
    ...badRequest,
    sentence: (property: string) =>
      `One or more added object references already exist for the following modified properties: '${property}'.`,
  },
  reference_type_invalid: {
    ...badRequest,
    sentence: (type: string, id: string, property: string) =>
      `The reference target '${type}_${id}' of type '${type}' is invalid for the '${property}' reference.`,
  },
  owners_need_reference: {
    ...badRequest,
    sentence: () => "Property 'owners' cannot be updated. Use POST and DELETE of owners/$ref.",
  },
} satisfies Readonly<Record<string, Refusal>>

const malformed = { status: 400, code: 'BadRequest' } as const
const conflict = { status: 409, code: 'Request_MultipleObjectsWithSameKeyValue' } as const
const denied = { status: 403, code: 'Authorization_RequestDenied' } as const

/**
 * Every refusal of the management APIs, with the codes and sentences of Microsoft Graph where it has them.
 *
 * @see https://learn.microsoft.com/graph/errors
 */
export const refusals = {
  token_missing: {
    status: 401,
    code: 'InvalidAuthenticationToken',
    challenge: 'none',
    sentence: () => 'Access token is empty.',
  },
  token_invalid: {
    status: 401,
    code: 'InvalidAuthenticationToken',
    challenge: 'invalid_token',
    sentence: (reason: string) => `Access token validation failure. ${reason}`,
  },
  credentials_malformed: {
    status: 400,
    code: 'InvalidAuthenticationToken',
    challenge: 'invalid_request',
    sentence: () => 'Send one access token, in one Authorization header.',
  },
  caller_unknown: {
    status: 401,
    code: 'Authorization_IdentityNotFound',
    challenge: 'invalid_token',
    sentence: () => 'The identity of the calling application could not be established.',
  },
  role_missing: {
    ...denied,
    challenge: 'insufficient_scope',
    sentence: () => 'Insufficient privileges to complete the operation.',
  },
  role_not_owned: {
    ...denied,
    challenge: 'insufficient_scope',
    sentence: (role: string) =>
      `Insufficient privileges to complete the operation: only a caller that has the role '${role}' can assign it or change its holders.`,
  },
  segment_unknown: {
    ...malformed,
    sentence: (segment: string) => `Resource not found for the segment '${segment}'.`,
  },
  method_not_allowed: {
    status: 405,
    code: 'Request_BadRequest',
    sentence: () => 'Specified HTTP method is not allowed for the request target.',
  },
  resource_unknown: {
    status: 404,
    code: 'Request_ResourceNotFound',
    sentence: (name: string) =>
      `Resource '${name}' does not exist or one of its queried reference-property objects are not present.`,
  },
  identifier_invalid: {
    ...badRequest,
    sentence: (name: string) => `Invalid object identifier '${name}'.`,
  },
  object_changed: {
    status: 412,
    code: 'Request_PreconditionFailed',
    sentence: () =>
      'The object was changed after it was read. The If-Match header has another state.',
  },
  query_invalid: { ...malformed, sentence: (reason: string) => reason },
  query_unsupported: {
    status: 400,
    code: 'Request_UnsupportedQuery',
    sentence: (reason: string) => reason,
  },
  skip_unsupported: { ...badRequest, sentence: () => "'$skip' is not supported by the service." },
  skip_token_invalid: {
    status: 400,
    code: 'Directory_InvalidPageToken',
    sentence: () => 'The $skiptoken belongs to another query or to another server.',
  },
  delta_token_invalid: {
    status: 400,
    code: 'Directory_InvalidPageToken',
    sentence: () =>
      'The $skiptoken or $deltatoken belongs to another tenant, another resource or another server.',
  },
  sync_state_lost: {
    status: 410,
    code: 'syncStateNotFound',
    sentence: () =>
      'The sync state generation is not found. The delta token is expired and data must be synchronized again.',
  },
  // Both sentences: entra E374.
  content_type_missing: {
    ...malformed,
    sentence: () =>
      'Write requests (excluding DELETE) must contain the Content-Type header declaration.',
  },
  content_type_unsupported: {
    ...malformed,
    sentence: () => 'Entity only allows writes with a JSON Content-Type header.',
  },
  content_coding_unsupported: {
    status: 415,
    code: 'Request_BadRequest',
    sentence: () => 'Send the body without a content coding, or with gzip.',
  },
  body_undecodable: { ...malformed, sentence: () => 'The payload is not complete gzip data.' },
  body_too_large: {
    status: 413,
    code: 'Request_BadRequest',
    sentence: (limit: string) => `The body is longer than ${limit} bytes.`,
  },
  body_missing: { ...malformed, sentence: () => 'Empty Payload. JSON content expected.' },
  body_malformed: {
    ...malformed,
    sentence: () =>
      'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.',
  },
  body_ambiguous: {
    ...malformed,
    sentence: () => 'A name is repeated in one object of the payload.',
  },
  body_cut: { ...malformed, sentence: () => 'The payload is incomplete.' },
  body_invalid: { ...badRequest, sentence: (faults: string) => faults },
  type_unsupported: {
    ...malformed,
    sentence: (named: string, type: string) =>
      `Objects of the type '${named}' are not supported here. Send '#microsoft.graph.${type}', or no type.`,
  },
  enabled_role_changed: {
    status: 400,
    code: 'CannotDeleteOrUpdateEnabledEntitlement',
    sentence: () =>
      'Permission (scope or role) cannot be deleted or updated unless disabled first.',
  },
  identifier_uri_taken: {
    ...conflict,
    sentence: () =>
      'Another object with the same value for property identifierUris already exists.',
  },
  service_principal_taken: {
    ...conflict,
    sentence: (appId: string) =>
      `The service principal cannot be created, updated, or restored because the service principal name ${appId} is already in use.`,
  },
  application_of_principal_unknown: {
    ...badRequest,
    sentence: (appId: string) =>
      `The appId '${appId}' of the service principal does not reference a valid application object.`,
  },
  ...referenceRefusals,
  unique_name_taken: {
    ...badRequest,
    sentence: () => 'Another object with the same value for property uniqueName already exists.',
  },
  passwords_read_only: {
    ...badRequest,
    sentence: () => 'Use addPassword to create a secret, and removePassword to remove one.',
  },
  password_unknown: { ...badRequest, sentence: () => 'No password credential found with keyId.' },
  key_unknown: { ...badRequest, sentence: () => 'No key credential found with keyId.' },
  // With the code of Microsoft Graph, which does not name the fault (entra E239).
  proof_invalid: {
    status: 401,
    code: 'Authentication_MissingOrMalformed',
    challenge: 'invalid_token',
    sentence: (fault: string) =>
      `Access Token missing or malformed. The proof has the fault '${fault}'.`,
  },
  ...policyRefusals,
  ...agentRefusals,
  federated_credential_taken: {
    ...conflict,
    sentence: (name: string) => `FederatedIdentityCredential with name ${name} already exists.`,
  },
  federated_credential_invalid: {
    status: 400,
    code: 'InvalidFederatedIdentityCredentialValue',
    sentence: (reason: string) => reason,
  },
  extension_property_taken: {
    ...badRequest,
    sentence: (name: string) => `An extension property exists with the name ${name}.`,
  },
  batch_too_long: {
    ...malformed,
    sentence: (limit: string) =>
      `Number of batch request steps exceeds the maximum value of ${limit}.`,
  },
  batch_invalid: { ...malformed, sentence: (reason: string) => reason },
  batch_answer_too_large: {
    status: 413,
    code: 'BadRequest',
    sentence: (limit: string) =>
      `The responses of this batch have more than ${limit} bytes. This request was not executed. Send it again.`,
  },
  dependency_failed: {
    status: 424,
    code: 'FailedDependency',
    sentence: (id: string) => `This request was not executed, because request '${id}' failed.`,
  },
  delegated_only: {
    ...malformed,
    sentence: () => '/me request is only valid with delegated authentication flow.',
  },
  policy_taken: {
    ...conflict,
    sentence: () =>
      'Request contains property changes that would result in property-uniqueness violation(s). Please retry your request with corrected values.',
  },
  permission_grant_taken: { ...conflict, sentence: () => 'Permission entry already exists.' },
  tenant_taken: {
    ...conflict,
    sentence: (name: string) => `The name ${name} belongs to another tenant.`,
  },
  quota_exceeded: {
    status: 403,
    code: 'Directory_QuotaExceeded',
    sentence: () =>
      'The directory object quota limit for the Tenant has been exceeded. Please ask your administrator to increase the quota limit or delete objects to reduce the used quota.',
  },
  request_too_large: {
    status: 400,
    code: 'Request_BadRequest',
    sentence: () =>
      'The request concerns too many objects. Split it, or remove some of the objects first, such as assignments. The operator can raise DIRECTORY_CACHE_OBJECTS.',
  },
  signing_key_unknown: {
    status: 404,
    code: 'Request_ResourceNotFound',
    sentence: (reason: string) => reason,
  },
  key_encryption_key_wrong: {
    status: 409,
    code: 'Request_Conflict',
    sentence: (reason: string) => reason,
  },
  protected_object: {
    ...denied,
    sentence: () =>
      'An object that management itself needs cannot be changed, disabled or deleted.',
  },
  keys_unavailable: {
    status: 503,
    code: 'ServiceUnavailable',
    sentence: () => 'Access tokens cannot be verified at the moment.',
  },
  storage_unavailable: {
    status: 503,
    code: 'ServiceUnavailable',
    sentence: () => 'The directory is unavailable. A change may or may not have been stored.',
  },
  unexpected: {
    status: 500,
    code: 'InternalServerError',
    sentence: () => 'The server failed. Its log has the reason.',
  },
} as const satisfies Record<string, Refusal>

export type RefusalName = keyof typeof refusals

export const refusalRow = (name: RefusalName): Refusal => refusals[name]
