import { type IssuanceRefusal, RefusedError } from '../../issuance/refusal.ts'

/** Why a request cannot even be read as what it should be. */
export type RequestRefusal =
  | { readonly reason: 'methodNotAllowed'; readonly method: string }
  | { readonly reason: 'bodyNotForm' }
  | { readonly reason: 'bodyTooLarge' }
  | { readonly reason: 'bodyCut' }
  | { readonly reason: 'tooManyParameters' }
  | { readonly reason: 'parameterMalformed' }
  | { readonly reason: 'parameterRepeated'; readonly parameter: string }
  | { readonly reason: 'parameterMissing'; readonly parameter: string }
  | { readonly reason: 'credentialInQuery' }
  | { readonly reason: 'headerRepeated'; readonly header: string }
  | { readonly reason: 'grantUnsupported'; readonly grant: string }
  | { readonly reason: 'clientIdMalformed'; readonly clientId: string }
  | { readonly reason: 'clientIdsDiffer' }
  | { readonly reason: 'basicMalformed' }
  | { readonly reason: 'severalProofs' }
  | { readonly reason: 'proofMissing' }
  | { readonly reason: 'assertionTypeUnknown' }
  | { readonly reason: 'scopeMissing' }
  | { readonly reason: 'scopeNotDefault'; readonly scope: string }
  | { readonly reason: 'scopeMalformed'; readonly scope: string }
  | { readonly reason: 'scopeOfSeveralResources'; readonly scope: string }
  | { readonly reason: 'resourceParameterOnV2' }
  | { readonly reason: 'tenantMalformed'; readonly tenant: string }
  | { readonly reason: 'tenantNotNamed' }
  | { readonly reason: 'tenantIsConsumers' }
  | { readonly reason: 'tenantUnknownAtDiscovery'; readonly tenant: string }
  | { readonly reason: 'instanceUnknown' }
  | { readonly reason: 'instanceApiVersion' }
  | { readonly reason: 'instanceParameters' }
  | { readonly reason: 'instanceNotHttps' }
  | { readonly reason: 'throttled' }
  | { readonly reason: 'unavailable' }
  | { readonly reason: 'internal' }

/** Every answer "no" that this server gives in the words of the dialect. */
export type Refusal = IssuanceRefusal | RequestRefusal

/** Ends the reading of a request with a refusal. */
export function refuseRequest(refusal: RequestRefusal, options?: ErrorOptions): never {
  throw new RefusedError<RequestRefusal>(refusal, options)
}
