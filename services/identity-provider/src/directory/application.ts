import type { AppRole } from './app-role.ts'
import type { FederatedIdentityCredential } from './federated-identity-credential.ts'
import type { KeyCredential } from './key-credential.ts'
import type { PasswordCredential } from './password-credential.ts'

/** The permissions that a client requests of one API; requesting grants nothing. */
export type RequiredResourceAccess = {
  readonly resourceAppId: string
  readonly resourceAccess: readonly { readonly id: string; readonly type: 'Role' | 'Scope' }[]
}

/** A claim that a resource asks to have in the access tokens made for it. */
export type OptionalClaim = {
  readonly name: string
  readonly additionalProperties: readonly string[]
}

/** A registration, in the tenant that owns it: an API, a client, or both. */
export type Application = {
  /** Object id: GUID, lower case. Never equal to `appId`. */
  readonly id: string
  readonly tenantId: string
  /** The application id that the world knows, `client_id` at the token endpoint: GUID, lower case. */
  readonly appId: string
  readonly displayName: string
  readonly createdDateTime: Date
  /** When it was soft-deleted; it can be restored, and keeps its identifier URIs, until purged. */
  readonly deletedDateTime: Date | null
  /** Whether other tenants may have a service principal of it. */
  readonly signInAudience: 'AzureADMyOrg' | 'AzureADMultipleOrgs'
  /** Names of the API, unique in the tenant. */
  readonly identifierUris: readonly string[]
  /** The version of the tokens made for this API; null means 1. */
  readonly requestedAccessTokenVersion: 1 | 2 | null
  /** Claims that this API asks for in its access tokens. */
  readonly optionalAccessTokenClaims: readonly OptionalClaim[]
  readonly appRoles: readonly AppRole[]
  readonly requiredResourceAccess: readonly RequiredResourceAccess[]
  /** A public client has no credential that anybody could believe. */
  readonly isFallbackPublicClient: boolean
  /** When false, only assertions authenticate this client, whatever secrets it still has. */
  readonly passwordAuthenticationAllowed: boolean
  readonly passwordCredentials: readonly PasswordCredential[]
  readonly keyCredentials: readonly KeyCredential[]
  readonly federatedIdentityCredentials: readonly FederatedIdentityCredential[]
}
