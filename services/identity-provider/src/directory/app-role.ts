/** A role that an API declares and that is assigned to its callers. */
export type AppRole = {
  /** GUID, lower case, chosen by who declares the role. */
  readonly id: string
  readonly allowedMemberTypes: readonly ('Application' | 'User')[]
  readonly description: string
  readonly displayName: string
  readonly isEnabled: boolean
  /** What the claim `roles` carries; null for a role that is assignable but says nothing. */
  readonly value: string | null
}
