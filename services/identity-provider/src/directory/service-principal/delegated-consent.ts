/**
 * A consent to act for users, kept for the tools that write and read it. It grants nothing here, because
 * no user takes part.
 */
export type DelegatedConsent = {
  /** Base64url, with case. It contains the ID of the client. */
  readonly id: string
  readonly consentType: 'AllPrincipals' | 'Principal'
  /** The object ID of the user; null for all users. */
  readonly principalId: string | null
  /** The object ID of the API's service principal. */
  readonly resourceId: string
  /** The values of scopes, with spaces between them. */
  readonly scope: string
}
