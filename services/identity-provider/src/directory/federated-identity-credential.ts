/** Trusts an external issuer: a token with this issuer, subject and audience authenticates the application. */
export type FederatedIdentityCredential = {
  /** GUID, lower case. */
  readonly id: string
  /** Unique within the application. */
  readonly name: string
  readonly description: string | null
  /** Compared exactly with the assertion's `iss`. */
  readonly issuer: string
  /** Compared exactly with the assertion's `sub`. */
  readonly subject: string
  /** Exactly one, compared with the assertion's `aud`. */
  readonly audiences: readonly string[]
}
