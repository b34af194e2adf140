/** The texts of a sentence. */
export type Texts<Names extends string> = { readonly [Name in Names]: string }

/** One refusal in the dialect. Its key in the table is its reason. */
export type RefusalRow<Phase extends 'request' | 'authentication' | 'access'> = {
  /** The phase decides the part of the sign-in log. Only refusals before `access` count for the limits. */
  readonly phase: Phase
  /** Whether an attacker may be guessing the credential of the client, so the refusal counts for the client. */
  readonly isGuess: Phase extends 'authentication' ? boolean : false
  /** Whether the contacted issuer is at fault. The limits do not replace the response. */
  readonly isOutage: Phase extends 'authentication' ? boolean : false
  readonly status: 400 | 401 | 405 | 413 | 429 | 500 | 503
  /** The OAuth error code, RFC 6749 section 5.2, or an error code of the dialect. */
  readonly error: string
  /** The number after `AADSTS`. */
  readonly code: number
  /** Whether the answer has `error_uri`: the lookup page of Entra does not know every code (entra E87). */
  readonly hasErrorUri: boolean
  /** The sentence for the client, without the code and the correlation ids around it. Never contains a secret. */
  readonly sentence: (texts: never) => string
  /** What must be the case for this reason, after the word "if", for the lookup page. */
  readonly when: string
  /** The remedy, for the lookup page and the reference. */
  readonly remedy: string
  /** The check of `greeting doctor` that fails with this code. Null: `error` decides it. */
  readonly check: 'client' | 'credential' | 'scope' | 'roles' | null
  /** The remedy of the client library for this code, also from Entra ID. One row of each code may have it. */
  readonly clientRemedy: string | null
}

/** Refusals of one phase by their reasons. */
export type RefusalRows<Phase extends 'request' | 'authentication' | 'access'> = {
  readonly [reason: string]: RefusalRow<Phase>
}

type TextsOf<Sentence> = Sentence extends () => string
  ? unknown
  : Sentence extends (texts: infer Some) => string
    ? Some
    : never

/** The refusals of some rows: the reason of each, and the texts of its sentence. */
export type RefusalOf<Rows extends RefusalRows<'request' | 'authentication' | 'access'>> = {
  [Reason in keyof Rows]: { readonly reason: Reason } & TextsOf<Rows[Reason]['sentence']>
}[keyof Rows]
