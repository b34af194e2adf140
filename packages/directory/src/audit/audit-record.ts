/** A record of one action: actor, target, time and outcome. Never contains a secret or a token. */
export type AuditRecord = {
  readonly at: Date
  /** The tenant in which it happened; null for the whole server. */
  readonly tenantId: string | null
  /** The application id of the actor, `system` for the server, the unverified id of a request, or its source address. */
  readonly actor: string
  /** The application ID of the blueprint, when the actor is an agent. */
  readonly blueprintId?: string
  /** Resource and verb, such as `token.issue` or `application.create`. */
  readonly action: string
  /** The id of the target, if there is one. */
  readonly target: string | null
  readonly outcome: 'done' | 'refused'
  /** The reason of a refusal, as a code; null otherwise. */
  readonly reason: string | null
  readonly correlationId: string | null
}

/** Creates the record of an action of the server itself: of the whole server, unless it names a tenant. */
export function systemRecord(
  at: Date,
  action: string,
  target: string | null,
  more: Partial<Pick<AuditRecord, 'tenantId' | 'reason'>> = {},
): AuditRecord {
  const record = { at, tenantId: null, actor: 'system', action, target } as const
  return { ...record, outcome: 'done', reason: null, correlationId: null, ...more }
}
