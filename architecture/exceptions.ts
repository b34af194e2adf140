import assert from 'node:assert/strict'

/**
 * Asserts that only the listed exceptions break a rule, and that each of them still does.
 *
 * So a list of exceptions can only shrink.
 */
export function assertOnly(broken: Iterable<string>, exceptions: readonly string[], rule: string) {
  const found = new Set(broken)
  const added = [...found].filter((one) => !exceptions.includes(one))
  const stale = exceptions.filter((one) => !found.has(one))
  assert.deepEqual(added, [], `${rule}: fix these`)
  assert.deepEqual(stale, [], `${rule}: remove these from architecture/exceptions.ts`)
}

/** Pages with sentences of more than 25 words. */
export const pagesWithLongSentences: readonly string[] = [
  'CHANGELOG.md',
  'docs/guides/client.md',
  'docs/explanation/decisions/bench.md',
  'docs/explanation/decisions/client.md',
  'docs/explanation/decisions/greeting-api.md',
  'docs/explanation/decisions/guard.md',
  'docs/explanation/decisions/identity-provider.md',
  'docs/explanation/decisions/keys-and-storage.md',
  'docs/explanation/decisions/management-api.md',
  'docs/explanation/decisions/registrations.md',
  'docs/explanation/decisions/start.md',
  'docs/evidence/faults-client.md',
  'docs/guides/graph.md',
  'docs/evidence/faults-guard.md',
  'docs/evidence/mutants-guard.md',
  'docs/guides/guard.md',
  'docs/guides/identity-provider.md',
  'docs/guides/keys.md',
  'docs/evidence/performance.md',
  'docs/reference/graph.md',
  'docs/reference/greeting-api.md',
  'docs/reference/identity-provider.md',
  'docs/reference/registrations.md',
  'docs/guides/registrations.md',
  'docs/evidence/security-client.md',
  'docs/evidence/security-resource-server.md',
  'docs/guides/storage.md',
]

/** Pages with words that docs/glossary.md excludes. */
export const pagesWithExcludedWords: readonly string[] = [
  'docs/guides/client.md',
  'docs/explanation/decisions/bench.md',
  'docs/explanation/decisions/client.md',
  'docs/explanation/decisions/greeting-api.md',
  'docs/explanation/decisions/guard.md',
  'docs/explanation/decisions/identity-provider.md',
  'docs/explanation/decisions/keys-and-storage.md',
  'docs/explanation/decisions/management-api.md',
  'docs/explanation/decisions/registrations.md',
  'docs/explanation/decisions/start.md',
  'docs/evidence/faults-client.md',
  'docs/guides/graph.md',
  'docs/evidence/faults-guard.md',
  'docs/evidence/mutants-guard.md',
  'docs/guides/guard.md',
  'docs/guides/identity-provider.md',
  'docs/guides/keys.md',
  'docs/evidence/performance.md',
  'docs/reference/graph.md',
  'docs/reference/greeting-api.md',
  'docs/reference/identity-provider.md',
  'docs/reference/registrations.md',
  'docs/guides/registrations.md',
  'docs/evidence/security-authorization-server.md',
  'docs/evidence/security-resource-server.md',
  'docs/guides/storage.md',
]

/** Exported names that wait for another name, each after its workspace. */
export const forbiddenExports: readonly string[] = [
  'cli AuditBook',
  'cli Finding',
  'cli Line',
  'cli RoleFate',
  'cli ToldFailure',
  'cli auditBooks',
  'services/identity-provider AuditBook',
  'services/identity-provider TokenGrant',
  'services/identity-provider written',
]

/** Codes that wait for `snake_case`. */
export const codesInAnotherCase: readonly string[] = [
  'BODY_CUT',
  'BODY_TOO_LARGE',
  'DIRECTORY_FAULT',
  'GRAPH_REFUSAL',
  'REGISTRATIONS_FILE_INVALID',
  'REGISTRATIONS_INVALID',
  'SETTINGS_INVALID',
  'announceDays',
  'applicationOfPrincipalUnknown',
  'assignedRoleUnknown',
  'assignmentTaken',
  'badUsage',
  'bodyCut',
  'bodyInvalid',
  'bodyMissing',
  'bodyTooLarge',
  'callerUnknown',
  'contentTypeUnsupported',
  'credentialsMalformed',
  'federatedCredentialInvalid',
  'federatedCredentialTaken',
  'identifierInvalid',
  'identifierUriTaken',
  'keysUnavailable',
  'methodNotAllowed',
  'objectChanged',
  'passwordUnknown',
  'passwordsUntouchable',
  'protectedObject',
  'queryInvalid',
  'queryUnsupported',
  'referenceInvalid',
  'resourceUnknown',
  'retireSeconds',
  'roleLacking',
  'roleNotOwned',
  'segmentUnknown',
  'servicePrincipalTaken',
  'skipTokenInvalid',
  'tenantTaken',
  'tokenInvalid',
  'tokenMissing',
]

/** Codes of Microsoft Graph (entra E149 to E155): they stay as they are. */
export const codesOfMicrosoftGraph: readonly string[] = [
  'Authorization_IdentityNotFound',
  'Authorization_RequestDenied',
  'BadRequest',
  'CannotDeleteOrUpdateEnabledEntitlement',
  'Directory_InvalidPageToken',
  'HostNameNotOnVerifiedDomain',
  'InternalServerError',
  'InvalidAuthenticationToken',
  'InvalidFederatedIdentityCredentialValue',
  'Request_BadRequest',
  'Request_Conflict',
  'Request_MultipleObjectsWithSameKeyValue',
  'Request_PreconditionFailed',
  'Request_ResourceNotFound',
  'Request_UnsupportedQuery',
  'ServiceUnavailable',
]
