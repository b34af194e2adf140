/** A secret or a certificate of an application or service principal that is not deleted. */
export type EndingCredential = {
  readonly kind: 'secret' | 'certificate'
  readonly keyId: string
  readonly displayName: string | null
  readonly endDateTime: Date
  readonly appId: string
  readonly applicationName: string
}

/**
 * Finds the credentials of a tenant that expire between two times, the earliest first.
 *
 * @param limit the maximum number of credentials, 1 to 1000
 */
export type FindEndingCredentials = (
  tenantId: string,
  from: Date,
  to: Date,
  limit: number,
) => Promise<readonly EndingCredential[]>
