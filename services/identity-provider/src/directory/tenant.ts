/** An instance of the identity provider: objects of one tenant are unknown in every other. */
export type Tenant = {
  /** GUID, lower case. */
  readonly id: string
  readonly displayName: string
  /** Verified domains, lower case; each names this tenant wherever its id does. */
  readonly domains: readonly string[]
  /** A tenant that is not enabled issues nothing. */
  readonly isEnabled: boolean
  readonly createdDateTime: Date
}
