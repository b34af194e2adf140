// Folder: Requests, tokens and errors in the form of Entra.

import { domainsOf, isGuid, type Tenant } from '@greeting/directory'

/** The URLs of this server, from its settings. They never come from a request. */
export type Authority = {
  /** The origin of every endpoint, without a slash at the end. */
  readonly authUrl: string
  /** The issuer of v1.0 tokens, without the tenant. */
  readonly issuerUrl: string
  /** The issuer of v2.0 tokens, without the tenant. */
  readonly issuerUrlV2: string
  /** The origin of the endpoints for mutual TLS; undefined when it is off. */
  readonly mtlsUrl?: string | undefined
}

/** The issuer of a tenant's v1.0 tokens, with a slash at the end. */
export const issuerV1 = ({ issuerUrl }: Authority, tenantId: string): string =>
  `${issuerUrl}/${tenantId}/`

/** The issuer of a tenant's v2.0 tokens, without a slash at the end. */
export const issuerV2 = ({ issuerUrlV2 }: Authority, tenantId: string): string =>
  `${issuerUrlV2}/${tenantId}/v2.0`

/** The tenant of an issuer of this server, and the version of its tokens. */
export type OwnIssuer = { readonly tenantId: string; readonly tokenVersion: '1.0' | '2.0' }

/** Reads an issuer of this server; undefined for every other issuer. The tenant may not exist. */
export function readOwnIssuer(authority: Authority, issuer: string): OwnIssuer | undefined {
  const tenantId = issuer.split('/').findLast(isGuid) ?? ''
  if (issuer === issuerV1(authority, tenantId)) return { tenantId, tokenVersion: '1.0' }
  return issuer === issuerV2(authority, tenantId) ? { tenantId, tokenVersion: '2.0' } : undefined
}

/**
 * The valid audiences of a client assertion: an issuer or a token endpoint of the tenant, with the
 * tenant's ID or one of its domains.
 *
 * @see RFC 7523 section 3, item 3
 */
export function assertionAudiences(authority: Authority, tenant: Tenant): ReadonlySet<string> {
  const { authUrl } = authority
  return new Set([
    issuerV1(authority, tenant.id),
    issuerV2(authority, tenant.id),
    ...[tenant.id, ...domainsOf(tenant)].flatMap((name) => [
      `${authUrl}/${name}/oauth2/v2.0/token`,
      `${authUrl}/${name}/oauth2/token`,
      `${authUrl}/${name}/v2.0`,
    ]),
  ])
}
