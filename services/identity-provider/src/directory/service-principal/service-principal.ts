import type { KeyCredential } from '../application/key-credential.ts'
import type { PasswordCredential } from '../application/password-credential.ts'
import type { Description } from '../properties/inert-properties.ts'
import type { DelegatedConsent } from './delegated-consent.ts'

/** The object of an application in one tenant. It receives app role assignments. */
export type ServicePrincipal = {
  /** Object ID: a GUID in lower case, `oid` and `sub` in the tokens of this client. */
  readonly id: string
  readonly tenantId: string
  /** The application ID of its application. */
  readonly appId: string
  readonly displayName: string
  readonly createdDateTime: Date
  readonly deletedDateTime: Date | null
  /** When false, no token is issued to it or for it. */
  readonly accountEnabled: boolean
  /** When true, a client without a role of it gets no token for it. */
  readonly appRoleAssignmentRequired: boolean
  /** Secrets that authenticate the application in this tenant only. */
  readonly passwordCredentials: readonly PasswordCredential[]
  /** Certificates that authenticate the application in this tenant only. */
  readonly keyCredentials: readonly KeyCredential[]
  readonly delegatedConsents: readonly DelegatedConsent[]
  /** The object IDs of service principals. An owner has no right because of it. */
  readonly ownerIds: readonly string[]
  readonly description: Description
}
