import {
  type AuthenticationRefusal,
  type IssuanceRefusal,
  Refused,
} from '../../issuance/refusal.ts'

/** The reason why a request cannot be read, or cannot be served at all. */
export type RequestRefusal =
  | { readonly reason: 'method_not_allowed'; readonly method: string }
  | { readonly reason: 'body_not_form' }
  | { readonly reason: 'body_too_large' }
  | { readonly reason: 'body_incomplete' }
  | { readonly reason: 'too_many_parameters' }
  | { readonly reason: 'parameter_malformed' }
  | { readonly reason: 'parameter_repeated'; readonly parameter: string }
  | { readonly reason: 'parameter_missing'; readonly parameter: string }
  | { readonly reason: 'credential_in_query' }
  | { readonly reason: 'header_repeated'; readonly header: string }
  | { readonly reason: 'grant_type_unsupported'; readonly grant: string }
  | { readonly reason: 'client_id_malformed'; readonly clientId: string }
  | { readonly reason: 'client_ids_differ' }
  | { readonly reason: 'basic_malformed' }
  | { readonly reason: 'several_client_authentications' }
  | { readonly reason: 'client_authentication_missing' }
  | { readonly reason: 'assertion_type_unknown' }
  | { readonly reason: 'scope_missing' }
  | { readonly reason: 'scope_not_default'; readonly scope: string }
  | { readonly reason: 'scope_malformed'; readonly scope: string }
  | { readonly reason: 'scope_has_several_resources'; readonly scope: string }
  | { readonly reason: 'resource_parameter_unsupported' }
  | { readonly reason: 'claims_parameter_malformed' }
  | { readonly reason: 'token_type_unsupported' }
  | { readonly reason: 'parameter_unsupported'; readonly parameter: string }
  | { readonly reason: 'tenant_malformed'; readonly tenant: string }
  | { readonly reason: 'tenant_empty'; readonly tenant: string }
  | { readonly reason: 'tenant_missing' }
  | { readonly reason: 'tenant_is_consumers' }
  | { readonly reason: 'tenant_unknown_at_discovery'; readonly tenant: string }
  | { readonly reason: 'instance_unknown' }
  | { readonly reason: 'instance_api_version_unsupported' }
  | { readonly reason: 'instance_parameters_invalid' }
  | { readonly reason: 'instance_not_https' }
  | { readonly reason: 'throttled' }
  | { readonly reason: 'unavailable' }
  | { readonly reason: 'internal' }

/** Every refusal that this server returns in the dialect. */
export type Refusal = IssuanceRefusal | RequestRefusal

/** Refuses a request that cannot be read. The caller returns the value. */
export const refuseRequest = (refusal: RequestRefusal): Refused<RequestRefusal> =>
  new Refused(refusal)

/** Where a refusal arises. The functions before authentication cannot return one of `access`. */
type PhaseOf<Reason extends Refusal['reason']> = Reason extends RequestRefusal['reason']
  ? 'request'
  : Reason extends AuthenticationRefusal['reason']
    ? 'authentication'
    : 'access'

/** One refusal in the dialect. */
export type RefusalRow<Reason extends Refusal['reason']> = {
  /** The phase decides the part of the sign-in log. Only refusals before `access` count for the limits. */
  readonly phase: PhaseOf<Reason>
  /** Whether an attacker may be guessing the credential of the client, so the refusal counts for the client. */
  readonly isGuess: Reason extends AuthenticationRefusal['reason'] ? boolean : false
  /** Whether an issuer that this server asked is at fault. The limits do not replace the answer. */
  readonly isOutage?: true
  readonly status: 400 | 401 | 405 | 413 | 429 | 500 | 503
  /** The OAuth error code, RFC 6749 section 5.2, or an error code of the dialect. */
  readonly error: string
  /** The number after `AADSTS`. */
  readonly code: number
  /** Whether the answer has `error_uri`: the lookup page of Entra does not know every code (entra E87). */
  readonly hasErrorUri: boolean
  /** The sentence for the client, without the code and the correlation ids around it. */
  readonly sentence: (refusal: Extract<Refusal, { reason: Reason }>) => string
  /** What must be the case for this reason, after the word "if", for the lookup page. */
  readonly when: string
  /** The remedy, for the lookup page and the reference. */
  readonly remedy: string
}

/** One row for each of some reasons. */
export type RefusalRows<Reason extends Refusal['reason']> = {
  readonly [One in Reason]: RefusalRow<One>
}
