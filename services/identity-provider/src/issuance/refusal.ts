/** Why no token is issued, with what the client may be told about it. Never carries a secret. */
export type IssuanceRefusal =
  | { readonly reason: 'tenant_unknown'; readonly tenant: string }
  | { readonly reason: 'client_unknown'; readonly clientId: string; readonly tenantName: string }
  | { readonly reason: 'client_public' }
  | { readonly reason: 'client_disabled'; readonly clientId: string; readonly clientName: string }
  | { readonly reason: 'secret_wrong'; readonly clientId: string }
  | { readonly reason: 'secret_expired'; readonly clientId: string }
  | { readonly reason: 'secret_not_allowed'; readonly clientId: string }
  | { readonly reason: 'assertion_malformed' }
  | { readonly reason: 'assertion_claim_missing'; readonly claim: string }
  | { readonly reason: 'assertion_algorithm_unsupported'; readonly algorithm: string }
  | { readonly reason: 'assertion_key_missing' }
  | { readonly reason: 'assertion_client_wrong' }
  | { readonly reason: 'assertion_audience_wrong' }
  | {
      readonly reason: 'assertion_time_invalid'
      readonly now: Date
      readonly validFrom: Date | null
      readonly expiresAt: Date
    }
  | { readonly reason: 'assertion_lifetime_too_long' }
  | { readonly reason: 'assertion_key_unknown'; readonly key: string; readonly clientId: string }
  | { readonly reason: 'assertion_key_expired'; readonly key: string; readonly clientId: string }
  | { readonly reason: 'assertion_key_unsafe'; readonly key: string; readonly clientId: string }
  | {
      readonly reason: 'assertion_signature_invalid'
      readonly key: string
      readonly clientId: string
    }
  | { readonly reason: 'assertion_replayed' }
  | {
      readonly reason: 'federated_credential_unknown'
      readonly issuer: string
      readonly subject: string
      readonly audience: string
    }
  | { readonly reason: 'federated_subject_unknown'; readonly subject: string }
  | { readonly reason: 'federated_issuer_not_allowed'; readonly issuer: string }
  | { readonly reason: 'federated_assertion_invalid'; readonly issuer: string }
  | { readonly reason: 'federated_issuer_unreachable'; readonly issuer: string }
  | { readonly reason: 'resource_unknown'; readonly resource: string; readonly tenantName: string }
  | { readonly reason: 'resource_disabled'; readonly resource: string }
  | {
      readonly reason: 'role_required'
      readonly clientId: string
      readonly clientName: string
      readonly resource: string
      readonly resourceName: string
    }

/** The answer "no" to a token request; `refusal` says all that may be told about it. */
export class RefusedError<Refusal extends { readonly reason: string }> extends Error {
  override readonly name = 'RefusedError'
  readonly code: Refusal['reason']
  readonly refusal: Refusal

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`The token request was refused: ${refusal.reason}.`, options)
    this.code = refusal.reason
    this.refusal = refusal
  }
}

/** Ends the decision with a refusal. */
export function refuse(refusal: IssuanceRefusal, options?: ErrorOptions): never {
  throw new RefusedError(refusal, options)
}
