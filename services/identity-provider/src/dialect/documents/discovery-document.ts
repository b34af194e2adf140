// Folder: The public documents of Entra: discovery, keys and clouds.

import { assertionAlgorithmsFor } from '../../issuance/certificate-authentication.ts'
import { type Authority, issuerV1, issuerV2 } from '../authority.ts'
import { tenantRegion } from '../token/claim-table.ts'

/** The supported methods of client authentication, as in metadata. */
const clientAuthenticationMetadata = ({ mtlsUrl }: Pick<Authority, 'mtlsUrl'>) => ({
  token_endpoint_auth_methods_supported: [
    'client_secret_post',
    'private_key_jwt',
    'client_secret_basic',
    ...(mtlsUrl === undefined ? [] : ['self_signed_tls_client_auth']),
  ],
})

/** The endpoints for mutual TLS: RFC 8705 sections 3.3 and 5. Nothing when it is off. */
const mtlsMetadata = (
  { mtlsUrl }: Pick<Authority, 'mtlsUrl'>,
  tenantId: string,
  tokenPath: string,
): object =>
  mtlsUrl === undefined
    ? {}
    : {
        tls_client_certificate_bound_access_tokens: true,
        mtls_endpoint_aliases: { token_endpoint: `${mtlsUrl}/${tenantId}${tokenPath}` },
      }

const responses = {
  response_modes_supported: ['query', 'fragment', 'form_post'],
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: ['RS256'],
} as const

/** The claims of tokens for users, as in Entra (entra E259). */
const claims = (...ofVersion: readonly string[]) => ({
  claims_supported: [
    ...['sub', 'iss', 'cloud_instance_name', 'cloud_instance_host_name', 'cloud_graph_host_name'],
    ...['msgraph_host', 'aud', 'exp', 'iat', 'auth_time', 'acr', ...ofVersion],
  ],
})
const claimsV1 = claims('amr', 'nonce', 'email', 'given_name', 'family_name', 'nickname')
const claimsV2 = claims(
  ...['nonce', 'preferred_username', 'name', 'tid', 'ver', 'at_hash', 'c_hash', 'email'],
)

const cloud = ({ inIssuer }: DocumentTenant) => ({
  // Entra E260: null in the documents for all tenants.
  tenant_region_scope: inIssuer === anyTenant ? null : tenantRegion,
  cloud_instance_name: 'microsoftonline.com',
  cloud_graph_host_name: 'graph.windows.net',
  msgraph_host: 'graph.microsoft.com',
  rbac_url: 'https://pas.windows.net',
})

/** The tenant placeholder in the documents for all tenants. */
const anyTenant = '{tenantid}'

export type DocumentTenant = {
  /** In the path of every endpoint: an ID, or `common` and similar names. */
  readonly inPath: string
  readonly inIssuer: string
}

/** Finds the tenant of a document by an ID or by the name of a shared authority. */
export const documentTenant = (inPath: string, isShared: boolean): DocumentTenant => ({
  inPath,
  inIssuer: isShared ? anyTenant : inPath,
})

/**
 * The discovery document for v2.0 tokens, with its members in the order of entra E59.
 *
 * @see OpenID Connect Discovery 1.0 section 3
 */
export function discoveryDocumentV2(authority: Authority, tenant: DocumentTenant): object {
  const base = `${authority.authUrl}/${tenant.inPath}`
  return {
    token_endpoint: `${base}/oauth2/v2.0/token`,
    ...clientAuthenticationMetadata(authority),
    jwks_uri: `${base}/discovery/v2.0/keys`,
    ...responses,
    response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    issuer: issuerV2(authority, tenant.inIssuer),
    request_uri_parameter_supported: false,
    userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
    http_logout_supported: true,
    frontchannel_logout_supported: true,
    end_session_endpoint: `${base}/oauth2/v2.0/logout`,
    ...claimsV2,
    kerberos_endpoint: `${base}/kerberos`,
    ...mtlsMetadata(authority, tenant.inPath, '/oauth2/v2.0/token'),
    ...cloud(tenant),
  }
}

/** The discovery document for v2.0 tokens, with the members that MCP clients need and Entra lacks. */
export const discoveryDocumentForMcp = (authority: Authority, tenant: DocumentTenant): object => ({
  ...discoveryDocumentV2(authority, tenant),
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_signing_alg_values_supported: assertionAlgorithmsFor(true),
  greeting_mcp_clients: 'This server accepts requests of MCP clients that Entra refuses.',
})

/** The discovery document for v1.0 tokens. It leads to the keys for the token of contract C34 (entra E61). */
export function discoveryDocumentV1(authority: Authority, tenant: DocumentTenant): object {
  const base = `${authority.authUrl}/${tenant.inPath}`
  return {
    token_endpoint: `${base}/oauth2/token`,
    ...clientAuthenticationMetadata(authority),
    jwks_uri: `${base}/discovery/keys`,
    ...responses,
    response_types_supported: ['code', 'id_token', 'code id_token', 'token id_token', 'token'],
    scopes_supported: ['openid'],
    issuer: issuerV1(authority, tenant.inIssuer),
    microsoft_multi_refresh_token: true,
    authorization_endpoint: `${base}/oauth2/authorize`,
    device_authorization_endpoint: `${base}/oauth2/devicecode`,
    http_logout_supported: true,
    frontchannel_logout_supported: true,
    end_session_endpoint: `${base}/oauth2/logout`,
    ...claimsV1,
    check_session_iframe: `${base}/oauth2/checksession`,
    userinfo_endpoint: `${base}/openid/userinfo`,
    kerberos_endpoint: `${base}/kerberos`,
    ...mtlsMetadata(authority, tenant.inPath, '/oauth2/token'),
    ...cloud(tenant),
  }
}

/** The key set for v1.0 tokens, without an issuer. */
export const keySetDocumentV1 = (keys: readonly object[]): object => ({ keys })

/** The key set for v2.0 tokens. Every key contains its issuer. */
export const keySetDocumentV2 = (
  keys: readonly object[],
  authority: Authority,
  tenant: DocumentTenant,
): object => ({
  keys: keys.map((key) => ({
    ...key,
    cloud_instance_name: 'microsoftonline.com',
    issuer: issuerV2(authority, tenant.inIssuer),
  })),
})
