/** Why no token is issued, with what the client may be told about it. Never carries a secret. */
export type IssuanceRefusal =
  | { readonly reason: 'tenantUnknown'; readonly tenant: string }
  | { readonly reason: 'clientUnknown'; readonly clientId: string; readonly tenantName: string }
  | { readonly reason: 'clientIsPublic' }
  | { readonly reason: 'clientDisabled'; readonly clientId: string; readonly clientName: string }
  | { readonly reason: 'secretWrong'; readonly clientId: string }
  | { readonly reason: 'secretExpired'; readonly clientId: string }
  | { readonly reason: 'secretNotAllowed'; readonly clientId: string }
  | { readonly reason: 'assertionMalformed' }
  | { readonly reason: 'assertionLacksClaim'; readonly claim: string }
  | { readonly reason: 'assertionAlgorithm'; readonly algorithm: string }
  | { readonly reason: 'assertionNamesNoKey' }
  | { readonly reason: 'assertionOfAnotherClient' }
  | { readonly reason: 'assertionForAnotherAudience' }
  | {
      readonly reason: 'assertionOutOfTime'
      readonly now: Date
      readonly validFrom: Date | null
      readonly expiresAt: Date
    }
  | { readonly reason: 'assertionTooLong' }
  | { readonly reason: 'assertionKeyUnknown'; readonly key: string; readonly clientId: string }
  | { readonly reason: 'assertionKeyExpired'; readonly key: string; readonly clientId: string }
  | { readonly reason: 'assertionKeyUnsafe'; readonly key: string; readonly clientId: string }
  | { readonly reason: 'assertionSignature'; readonly key: string; readonly clientId: string }
  | { readonly reason: 'assertionUsedBefore' }
  | {
      readonly reason: 'federationUnknown'
      readonly issuer: string
      readonly subject: string
      readonly audience: string
    }
  | { readonly reason: 'federationSubjectUnknown'; readonly subject: string }
  | { readonly reason: 'federatedIssuerNotAllowed'; readonly issuer: string }
  | { readonly reason: 'federatedAssertionRefused'; readonly issuer: string }
  | { readonly reason: 'federatedIssuerUnreachable'; readonly issuer: string }
  | { readonly reason: 'resourceUnknown'; readonly resource: string; readonly tenantName: string }
  | { readonly reason: 'resourceDisabled'; readonly resource: string }
  | {
      readonly reason: 'roleRequired'
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
