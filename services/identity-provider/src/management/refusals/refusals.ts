// Folder: The errors of the management APIs: one row for each.

import { agentRefusals } from './agent-refusals.ts'
import { badRequest, conflict, type Refusal, refusal, refusalsOf } from './refusal-row.ts'

const malformed = refusalsOf(400, 'BadRequest')
const denied = refusalsOf(403, 'Authorization_RequestDenied')
const notFound = refusalsOf(404, 'Request_ResourceNotFound')
const unavailable = refusalsOf(503, 'ServiceUnavailable')

/** A fault has its own sentence. */
const fault = (sentence: string) => sentence

/** The refusals by app management policies, and by the lock of an application. */
const policyRefusals = {
  locked_by_application: refusal(400, 'CannotUpdateLockedServicePrincipalProperty', fault),
  lifetime_exceeds_policy: refusal(400, 'CredentialInvalidLifetimeAsPerAppPolicy', fault),
  credential_forbidden_by_policy: refusal(400, 'CredentialTypeNotAllowedAsPerAppPolicy', fault),
  identifier_uri_forbidden_by_policy: refusal(400, 'HostNameNotOnVerifiedDomain', fault),
  identifier_uri_without_tenant: refusal(400, 'InvalidUniqueTenantIdentifierAsPerAppPolicy', fault),
  audience_forbidden_by_policy: refusal(400, 'SignInAudienceNotAllowedAsPerAppPolicy', fault),
} satisfies Readonly<Record<string, Refusal>>

/** The refusals of references between objects, and of assignments, which refer to two objects. */
const referenceRefusals = {
  reference_invalid: badRequest('Not a valid reference update.'),
  assignment_taken: badRequest('Permission being assigned already exists on the object'),
  assigned_role_unknown: badRequest('Permission being assigned was not found on application'),
  reference_taken: badRequest(
    (property: string) =>
      `One or more added object references already exist for the following modified properties: '${property}'.`,
  ),
  reference_type_invalid: badRequest(
    (type: string, id: string, property: string) =>
      `The reference target '${type}_${id}' of type '${type}' is invalid for the '${property}' reference.`,
  ),
  owners_need_reference: badRequest(
    "Property 'owners' cannot be updated. Use POST and DELETE of owners/$ref.",
  ),
} satisfies Readonly<Record<string, Refusal>>

/**
 * Every refusal of the management APIs, with the codes and sentences of Microsoft Graph where it has them.
 *
 * @see https://learn.microsoft.com/graph/errors
 */
export const refusals = {
  token_missing: refusal(401, 'InvalidAuthenticationToken', 'Access token is empty.', 'none'),
  token_invalid: refusal(
    401,
    'InvalidAuthenticationToken',
    (reason: string) => `Access token validation failure. ${reason}`,
    'invalid_token',
  ),
  credentials_malformed: refusal(
    400,
    'InvalidAuthenticationToken',
    'Send one access token, in one Authorization header.',
    'invalid_request',
  ),
  caller_unknown: refusal(
    401,
    'Authorization_IdentityNotFound',
    'The identity of the calling application could not be established.',
    'invalid_token',
  ),
  role_missing: denied('Insufficient privileges to complete the operation.', 'insufficient_scope'),
  role_not_owned: denied(
    (role: string) =>
      `Insufficient privileges to complete the operation: only a caller that has the role '${role}' can assign it or change its holders.`,
    'insufficient_scope',
  ),
  segment_unknown: malformed(
    (segment: string) => `Resource not found for the segment '${segment}'.`,
  ),
  method_not_allowed: refusal(
    405,
    'Request_BadRequest',
    'Specified HTTP method is not allowed for the request target.',
  ),
  resource_unknown: notFound(
    (name: string) =>
      `Resource '${name}' does not exist or one of its queried reference-property objects are not present.`,
  ),
  identifier_invalid: badRequest((name: string) => `Invalid object identifier '${name}'.`),
  object_changed: refusal(
    412,
    'Request_PreconditionFailed',
    'The object was changed after it was read. The If-Match header has another state.',
  ),
  query_invalid: malformed(fault),
  query_unsupported: refusal(400, 'Request_UnsupportedQuery', fault),
  skip_unsupported: badRequest("'$skip' is not supported by the service."),
  skip_token_invalid: refusal(
    400,
    'Directory_InvalidPageToken',
    'The $skiptoken belongs to another query or to another server.',
  ),
  delta_token_invalid: refusal(
    400,
    'Directory_InvalidPageToken',
    'The $skiptoken or $deltatoken belongs to another tenant, another resource or another server.',
  ),
  sync_state_lost: refusal(
    410,
    'syncStateNotFound',
    'The sync state generation is not found. The delta token is expired and data must be synchronized again.',
  ),
  // Both sentences: entra E374.
  content_type_missing: malformed(
    'Write requests (excluding DELETE) must contain the Content-Type header declaration.',
  ),
  content_type_unsupported: malformed('Entity only allows writes with a JSON Content-Type header.'),
  content_coding_unsupported: refusal(
    415,
    'Request_BadRequest',
    'Send the body without a content coding, or with gzip.',
  ),
  body_undecodable: malformed('The payload is not complete gzip data.'),
  body_too_large: refusal(
    413,
    'Request_BadRequest',
    (limit: string) => `The body is longer than ${limit} bytes.`,
  ),
  body_missing: malformed('Empty Payload. JSON content expected.'),
  body_malformed: malformed(
    'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.',
  ),
  body_ambiguous: malformed('A name is repeated in one object of the payload.'),
  body_cut: malformed('The payload is incomplete.'),
  body_invalid: badRequest(fault),
  type_unsupported: malformed(
    (named: string, type: string) =>
      `Objects of the type '${named}' are not supported here. Send '#microsoft.graph.${type}', or no type.`,
  ),
  enabled_role_changed: refusal(
    400,
    'CannotDeleteOrUpdateEnabledEntitlement',
    'Permission (scope or role) cannot be deleted or updated unless disabled first.',
  ),
  identifier_uri_taken: conflict(
    'Another object with the same value for property identifierUris already exists.',
  ),
  service_principal_taken: conflict(
    (appId: string) =>
      `The service principal cannot be created, updated, or restored because the service principal name ${appId} is already in use.`,
  ),
  application_of_principal_unknown: badRequest(
    (appId: string) =>
      `The appId '${appId}' of the service principal does not reference a valid application object.`,
  ),
  ...referenceRefusals,
  unique_name_taken: badRequest(
    'Another object with the same value for property uniqueName already exists.',
  ),
  passwords_read_only: badRequest(
    'Use addPassword to create a secret, and removePassword to remove one.',
  ),
  password_unknown: badRequest('No password credential found with keyId.'),
  key_unknown: badRequest('No key credential found with keyId.'),
  // With the code of Microsoft Graph, which does not name the fault (entra E239).
  proof_invalid: refusal(
    401,
    'Authentication_MissingOrMalformed',
    (fault: string) => `Access Token missing or malformed. The proof has the fault '${fault}'.`,
    'invalid_token',
  ),
  ...policyRefusals,
  ...agentRefusals,
  federated_credential_taken: conflict(
    (name: string) => `FederatedIdentityCredential with name ${name} already exists.`,
  ),
  federated_credential_invalid: refusal(400, 'InvalidFederatedIdentityCredentialValue', fault),
  extension_property_taken: badRequest(
    (name: string) => `An extension property exists with the name ${name}.`,
  ),
  batch_too_long: malformed(
    (limit: string) => `Number of batch request steps exceeds the maximum value of ${limit}.`,
  ),
  batch_invalid: malformed(fault),
  batch_answer_too_large: refusal(
    413,
    'BadRequest',
    (limit: string) =>
      `The responses of this batch have more than ${limit} bytes. This request was not executed. Send it again.`,
  ),
  dependency_failed: refusal(
    424,
    'FailedDependency',
    (id: string) => `This request was not executed, because request '${id}' failed.`,
  ),
  delegated_only: malformed('/me request is only valid with delegated authentication flow.'),
  policy_taken: conflict(
    'Request contains property changes that would result in property-uniqueness violation(s). Please retry your request with corrected values.',
  ),
  permission_grant_taken: conflict('Permission entry already exists.'),
  tenant_taken: conflict((name: string) => `The name ${name} belongs to another tenant.`),
  quota_exceeded: refusal(
    403,
    'Directory_QuotaExceeded',
    'The directory object quota limit for the Tenant has been exceeded. Please ask your administrator to increase the quota limit or delete objects to reduce the used quota.',
  ),
  request_too_large: refusal(
    400,
    'Request_BadRequest',
    'The request concerns too many objects. Split it, or remove some of the objects first, such as assignments. The operator can raise DIRECTORY_CACHE_OBJECTS.',
  ),
  signing_key_unknown: notFound(fault),
  key_encryption_key_wrong: refusal(409, 'Request_Conflict', fault),
  protected_object: denied(
    'An object that management itself needs cannot be changed, disabled or deleted.',
  ),
  keys_unavailable: unavailable('Access tokens cannot be verified at the moment.'),
  storage_unavailable: unavailable(
    'The directory is unavailable. A change may or may not have been stored.',
  ),
  unexpected: refusal(500, 'InternalServerError', 'The server failed. Its log has the reason.'),
} as const satisfies Record<string, Refusal>

export type RefusalName = keyof typeof refusals

export const refusalRow = (name: RefusalName): Refusal => refusals[name]
