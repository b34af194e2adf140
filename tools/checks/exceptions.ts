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
  assert.deepEqual(stale, [], `${rule}: remove these from tools/checks/exceptions.ts`)
}

/** The codes of Microsoft Graph (entra E149 to E155), which are not changed. */
export const codesOfMicrosoftGraph: readonly string[] = [
  'Authorization_IdentityNotFound',
  'AgentBlueprintPrincipal_RequireAgentBlueprint',
  'AgentBlueprint_IncompatibleProperty',
  'AgentIdentity_AgentBlueprintPrincipalDoesNotExist',
  'AgentIdentity_CredentialsNotSupported',
  'AgentIdentity_IncompatibleParentType',
  'Authentication_MissingOrMalformed',
  'Authorization_RequestDenied',
  'BadRequest',
  'Error_AgentBlueprintCannotCreateAssociatedIdentity',
  'Error_AgentIdentitySelfCreateRequired',
  'FailedDependency',
  'CannotDeleteOrUpdateEnabledEntitlement',
  'CannotUpdateLockedServicePrincipalProperty',
  'CredentialInvalidLifetimeAsPerAppPolicy',
  'CredentialTypeNotAllowedAsPerAppPolicy',
  'Directory_InvalidPageToken',
  'Directory_QuotaExceeded',
  'HostNameNotOnVerifiedDomain',
  'GenericError',
  'InvalidUniqueTenantIdentifierAsPerAppPolicy',
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
  'SignInAudienceNotAllowedAsPerAppPolicy',
  'syncStateNotFound',
]
