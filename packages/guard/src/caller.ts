/** The client of a request, from its verified token. Deeply frozen. */
export type Caller<Role extends string = string> = {
  /** `admitted`, which distinguishes a caller from a refusal. */
  readonly outcome: 'admitted'
  /** The application ID of the client. */
  readonly applicationId: string
  /** The ID of the tenant that issued the token. */
  readonly tenantId: string | undefined
  /** The object ID of the client's service principal. */
  readonly objectId: string | undefined
  /** The claim `sub`. */
  readonly subject: string
  /** The roles of the guard that the token contains. */
  readonly roles: readonly Role[]
  /** The ID of the token at the identity provider. */
  readonly tokenId: string | undefined
  /** End of validity, in seconds since the epoch. */
  readonly expiresAt: number
}
