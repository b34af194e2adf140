/** The client of a request, from its verified token. Deeply frozen. */
export type Caller<Role extends string = string> = {
  readonly outcome: 'admitted'
  /** The application id of the client. */
  readonly applicationId: string
  readonly tenantId: string | undefined
  /** The object id of the client's service principal. */
  readonly objectId: string | undefined
  readonly subject: string
  /** The roles of the token that the guard was declared with. */
  readonly roles: readonly Role[]
  /** The id of the token at the identity provider. */
  readonly tokenId: string | undefined
  /** End of validity, in seconds since the epoch. */
  readonly expiresAt: number
}
