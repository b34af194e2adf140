/** A permission that an API declares. Its value appears in the claim `roles`. */
export type AppRole = {
  /** A GUID in lower case, from the declaration. */
  readonly id: string
  readonly allowedMemberTypes: readonly ('Application' | 'User')[]
  readonly description: string
  readonly displayName: string
  readonly isEnabled: boolean
  /** The value in the claim `roles`; null for a role that adds nothing to the claim. */
  readonly value: string | null
}
