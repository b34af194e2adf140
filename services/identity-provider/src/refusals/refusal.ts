import type { accessRefusalRows } from './access-refusal-rows.ts'
import type { authenticationRefusalRows } from './authentication-refusal-rows.ts'
import type { RefusalOf } from './refusal-row.ts'
import type { requestRefusalRows } from './request-refusal-rows.ts'

/** The reason why a client does not authenticate, with the values of its sentence. */
export type AuthenticationRefusal = RefusalOf<typeof authenticationRefusalRows>

/** The reason why a client that has authenticated gets no token, with the values of its sentence. */
export type AccessRefusal = RefusalOf<typeof accessRefusalRows>

/** The reason why a request cannot be read, or cannot be served at all. */
export type RequestRefusal = RefusalOf<typeof requestRefusalRows>

/** Every refusal that this server returns in the dialect. */
export type Refusal = AuthenticationRefusal | AccessRefusal | RequestRefusal

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

/** Refuses a request. The caller returns the value, whose type has the phase. */
export const refuse = <One extends Refusal>(refusal: One): Refused<One> => new Refused(refusal)
