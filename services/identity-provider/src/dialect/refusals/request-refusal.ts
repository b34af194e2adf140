import { type IssuanceRefusal, RefusedError } from '../../issuance/refusal.ts'

/** Why a request cannot even be read as what it should be. */
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
  | { readonly reason: 'resource_parameter_on_v2' }
  | { readonly reason: 'tenant_malformed'; readonly tenant: string }
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

/** Every answer "no" that this server gives in the words of the dialect. */
export type Refusal = IssuanceRefusal | RequestRefusal

/** Ends the reading of a request with a refusal. */
export function refuseRequest(refusal: RequestRefusal, options?: ErrorOptions): never {
  throw new RefusedError<RequestRefusal>(refusal, options)
}
