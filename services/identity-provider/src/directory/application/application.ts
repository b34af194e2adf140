import type { Description } from '../properties/inert-properties.ts'
import type { AppRole } from './app-role.ts'
import type { FederatedIdentityCredential } from './federated-identity-credential.ts'
import type { KeyCredential } from './key-credential.ts'
import type { PasswordCredential } from './password-credential.ts'
import type { SignInAudience } from './sign-in-audience.ts'

/** The permissions that a client requests of one API. A request grants nothing. */
export type RequiredResourceAccess = {
  readonly resourceAppId: string
  readonly resourceAccess: readonly { readonly id: string; readonly type: 'Role' | 'Scope' }[]
}

/** An additional claim of the access tokens for a resource. */
export type OptionalClaim = {
  readonly name: string
  readonly additionalProperties: readonly string[]
}

/** A registration in the tenant that owns it: an API, a client, or both. */
export type Application = {
  /** Object ID: a GUID in lower case, different from `appId`. */
  readonly id: string
  readonly tenantId: string
  /** Application ID, the `client_id` at the token endpoint: a GUID in lower case. */
  readonly appId: string
  readonly displayName: string
  /** A name that a client chose at creation, unique in the tenant. It never changes. */
  readonly uniqueName: string | null
  readonly createdDateTime: Date
  /** The time of its soft deletion. Until it is purged, it can be restored and keeps its identifier URIs. */
  readonly deletedDateTime: Date | null
  /** Whether other tenants may have a service principal of it. */
  readonly signInAudience: SignInAudience
  /** Names of the API, unique in the tenant. */
  readonly identifierUris: readonly string[]
  /** The version of the tokens for this API; null means 1. */
  readonly requestedAccessTokenVersion: 1 | 2 | null
  /** The additional claims of the access tokens for this API. */
  readonly optionalAccessTokenClaims: readonly OptionalClaim[]
  readonly appRoles: readonly AppRole[]
  readonly requiredResourceAccess: readonly RequiredResourceAccess[]
  /** A public client cannot keep a credential secret, so it gets no token here. */
  readonly isFallbackPublicClient: boolean
  /** When false, only assertions authenticate this client, even if it has secrets. */
  readonly passwordAuthenticationAllowed: boolean
  readonly passwordCredentials: readonly PasswordCredential[]
  readonly keyCredentials: readonly KeyCredential[]
  readonly federatedIdentityCredentials: readonly FederatedIdentityCredential[]
  /** The object IDs of service principals. An owner has no right because of it. */
  readonly ownerIds: readonly string[]
  readonly description: Description
}
