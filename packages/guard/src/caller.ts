/** Who is calling, as a verified token says. Deeply frozen. */
export type Caller<Role extends string = string> = {
  readonly outcome: 'admitted'
  /** The application id of the client. */
  readonly applicationId: string
  readonly tenantId: string | undefined
  /** The object id of the client's service principal. */
  readonly objectId: string | undefined
  readonly subject: string
  /** Those of the roles that the guard was declared with which the token grants. */
  readonly roles: readonly Role[]
  /** The identity provider's own id for the token. */
  readonly tokenId: string | undefined
  /** Seconds since the epoch. */
  readonly expiresAt: number
}
