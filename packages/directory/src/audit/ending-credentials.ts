/** A secret or a certificate of a present application or service principal. */
export type EndingCredential = {
  readonly kind: 'secret' | 'certificate'
  readonly keyId: string
  readonly displayName: string | null
  readonly endDateTime: Date
  readonly appId: string
  readonly applicationName: string
}

/**
 * Finds the credentials of a tenant that end from one time to another, the first end first.
 *
 * @param limit the maximum number of credentials, 1 to 1000
 */
export type FindEndingCredentials = (
  tenantId: string,
  from: Date,
  to: Date,
  limit: number,
) => Promise<readonly EndingCredential[]>
