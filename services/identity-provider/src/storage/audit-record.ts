/** Who did what to what, when, and how it ended. Never carries a secret or a token. */
export type AuditRecord = {
  readonly at: Date
  /** The tenant in which it happened; null for what concerns the whole server. */
  readonly tenantId: string | null
  /** Application id of who acted, `system` for the server itself, or what a stranger claimed to be. */
  readonly actor: string
  /** Resource and verb, such as `token.issue` or `application.create`. */
  readonly action: string
  /** Id of the object that was acted upon, when there is one. */
  readonly target: string | null
  readonly outcome: 'done' | 'refused'
  /** Why it was refused, as a code; null when it was done. */
  readonly reason: string | null
  readonly correlationId: string | null
}
