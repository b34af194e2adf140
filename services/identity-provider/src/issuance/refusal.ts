/** A reason, and the texts of its sentence. */
type Texts<Reason, Names extends string> = { readonly reason: Reason } & {
  readonly [Name in Names]: string
}

/** The reason why a client does not authenticate, with the values of its sentence. Never contains a secret. */
export type AuthenticationRefusal =
  | { readonly reason: 'tenant_unknown'; readonly tenant: string }
  | Texts<'client_unknown', 'clientId' | 'tenantName'>
  | { readonly reason: 'client_public' }
  | { readonly reason: 'secret_wrong'; readonly clientId: string }
  | {
      readonly reason: 'secret_not_yet_valid'
      readonly clientId: string
      readonly now: Date
      readonly validFrom: Date
    }
  | { readonly reason: 'secret_expired'; readonly clientId: string }
  | { readonly reason: 'secret_not_allowed'; readonly clientId: string }
  | { readonly reason: 'assertion_malformed' }
  | { readonly reason: 'assertion_claim_missing'; readonly claim: string }
  | { readonly reason: 'assertion_type_unsupported' }
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
  | Texts<'assertion_key_unknown', 'key' | 'clientId'>
  | { readonly reason: 'assertion_key_expired' }
  | Texts<'assertion_key_unsafe', 'key' | 'clientId'>
  | Texts<'assertion_signature_invalid', 'key' | 'clientId'>
  | { readonly reason: 'assertion_replayed' }
  | { readonly reason: 'federated_issuer_unknown'; readonly issuer: string }
  | { readonly reason: 'federated_audience_unknown'; readonly audience: string }
  | { readonly reason: 'federated_subject_unknown'; readonly subject: string }
  | { readonly reason: 'federated_subject_case_differs'; readonly subject: string }
  | { readonly reason: 'federated_expression_unmatched'; readonly subject: string }
  | { readonly reason: 'federated_issuer_not_allowed' }
  | { readonly reason: 'federated_assertion_invalid'; readonly issuer: string }
  | { readonly reason: 'federated_issuer_unreachable' }
  | { readonly reason: 'federated_keys_malformed' }
  | Texts<'federated_key_unknown', 'key' | 'issuer'>
  | ({ readonly reason: 'federated_lifetime_too_long' } & Record<'issued' | 'expires', number>)
  | Texts<'federated_credential_missing', 'clientId' | 'clientName'>
  | { readonly reason: 'federated_issuer_of_other_tenant'; readonly issuer: string }
  | { readonly reason: 'federated_token_type_forbidden' }
  | { readonly reason: 'federated_token_chained' }

/** The reason why a client that has authenticated gets no token, with the values of its sentence. */
export type AccessRefusal =
  | Texts<'service_principal_missing', 'clientId' | 'tenantId'>
  | Texts<'client_disabled', 'clientId' | 'clientName'>
  | Texts<'agent_unknown', 'clientId' | 'tenantName'>
  | { readonly reason: 'agent_path_missing' }
  | { readonly reason: 'agent_path_unexpected' }
  | Texts<'agent_resource_not_permitted', 'clientId' | 'resourceId'>
  | Texts<'resource_unknown', 'resource' | 'tenantId'>
  | { readonly reason: 'resource_disabled'; readonly resource: string }
  | { readonly reason: 'mapped_claims_not_accepted' }
  | { readonly reason: 'resource_parameter_differs' }
  | Texts<'role_required', 'clientId' | 'clientName' | 'resource' | 'resourceName'>

/** The reason why no token is issued. */
export type IssuanceRefusal = AuthenticationRefusal | AccessRefusal

/**
 * A refusal as a value: a function returns it instead of its result, and never throws it.
 *
 * A class, so that `instanceof` separates it from results of every type.
 */
export class Refused<Refusal extends { readonly reason: string }> {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

/** Refuses to issue a token. The caller returns the value. */
export const refuse = <One extends IssuanceRefusal>(refusal: One): Refused<One> =>
  new Refused(refusal)
