export {
  effectiveAssignments,
  inheritedAssignments,
  isBlockedForAgents,
  parentOf,
  roleOfBlueprints,
} from './agent-roles.ts'
export {
  type AppManagementFault,
  appManagementFaults,
  type ManagedChange,
  type ManagedObject,
} from './app-management-faults.ts'
export type { AppRole } from './application/app-role.ts'
export { judgeAppRoleChange, judgeAppRoles } from './application/app-role-rules.ts'
export {
  type Application,
  acceptsMappedClaims,
  applicationProperties,
  inertApplicationDefaults,
  locksCredentials,
  newApplication,
  requestedClaims,
  scopesOf,
} from './application/application.ts'
export type { Blueprint, InheritablePermission } from './application/blueprint.ts'
export {
  judgeClaimsMatchingExpression,
  matchesClaims,
  parseClaimsMatchingExpression,
} from './application/claims-matching-expression.ts'
export { credentialName } from './application/credential.ts'
export type { ExtensionProperty } from './application/extension-property.ts'
export {
  type FederatedIdentityCredential,
  federatedCredentialProperties,
  type TrustedClaims,
} from './application/federated-identity-credential.ts'
export { judgeIdentifierUris } from './application/identifier-uri-rules.ts'
export {
  createKeyCredential,
  type KeyCredential,
  keyCredentialJson,
  keyCredentialType,
  safeKey,
  verificationKeyOf,
  verifies,
} from './application/key-credential.ts'
export {
  createLabPassword,
  createPassword,
  labSecretSha256,
  type NewPassword,
  type PasswordCredential,
  passwordCredentialJson,
  passwordCredentialType,
  secretSha256,
} from './application/password-credential.ts'
export { azureApi, azurePrincipal, azurePrincipals } from './azure-apis.ts'
export type { Directory } from './directory.ts'
export {
  type DirectoryChange,
  type DirectoryKind,
  type DirectoryObjects,
  put,
  remove,
} from './directory-change.ts'
export { exactTime, timeText } from './exact-time.ts'
export { emptyGuid, isGuid } from './guid.ts'
export { isLoopbackUrl, isSafeIssuerUrl } from './issuer-url.ts'
export {
  accessTokenSeconds,
  type DirectoryPolicy,
  defaultAppManagementPolicyId,
  definitionRules,
  initialAppManagementPolicy,
  maxPolicies,
  type PolicyKind,
  policyOf,
} from './policy.ts'
export {
  builtInApiAppIds,
  graphAppId,
  ownerTenantId,
  privilegedApiAppIds,
  resourceManagerAppId,
  serverManagementAppId,
  tokenExchangeAppId,
  tokenExchangeUri,
} from './privileged-api-ids.ts'
export {
  dependentRolesIn,
  isActive,
  isPrivileged,
  missingRole,
  ownedRoles,
  type PrivilegedRole,
  privilegedRolesIn,
  rolesEverywhere,
} from './privileged-roles.ts'
export { entriesIn, inertAfter } from './properties/inert-properties.ts'
export {
  bodyForms,
  type ComplexType,
  complexType,
  complexTypeIn,
  entityValues,
  fixedValues,
  formsOf,
  inertDefaults,
  type PropertyView,
  type ShownProperty,
  shownProperties,
  typeName,
} from './properties/property.ts'
export { type Runtime, systemRuntime } from './runtime.ts'
export {
  type AppRoleAssignment,
  appRoleAssignmentProperties,
  newAppRoleAssignment,
} from './service-principal/app-role-assignment.ts'
export {
  type DelegatedConsent,
  inertPrincipalDefaults,
  managedIdentityOf,
  newAgentIdentity,
  newServicePrincipal,
  type ServicePrincipal,
  servicePrincipalProperties,
} from './service-principal/service-principal.ts'
export { storableTextIssues } from './storable-text.ts'
export {
  domainsOf,
  initialDomainOf,
  newTenant,
  type Tenant,
  tenantIdIn,
  tenantProperties,
} from './tenant.ts'
export { authoritiesIn, isTrusted, type TrustedAuthority } from './trusted-authorities.ts'
export { propertyPathText, type ValidationIssue } from './validation-issue.ts'
export { wordStarts, wordsOf } from './words.ts'
