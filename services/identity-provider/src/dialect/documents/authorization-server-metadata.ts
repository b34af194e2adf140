import { assertionAlgorithms } from '../../issuance/certificate-authentication.ts'
import { type Authority, issuerV1, issuerV2 } from '../authority.ts'
import { clientAuthenticationMetadata, mtlsMetadata } from './discovery-document.ts'

/** The token version that metadata describes. Each version has its own issuer. */
const versions = {
  '1.0': { issuer: issuerV1, keys: '/discovery/keys', token: '/oauth2/token' },
  '2.0': { issuer: issuerV2, keys: '/discovery/v2.0/keys', token: '/oauth2/v2.0/token' },
} as const

/**
 * The metadata of this authorization server in the form of OAuth 2.0, with its actual features
 * only.
 *
 * @see RFC 8414 section 2; section 3.2 omits members without a value.
 */
export function authorizationServerMetadata(
  authority: Authority,
  tenantId: string,
  version: keyof typeof versions,
): object {
  const { issuer, keys, token } = versions[version]
  const base = `${authority.authUrl}/${tenantId}`
  return {
    issuer: issuer(authority, tenantId),
    token_endpoint: `${base}${token}`,
    jwks_uri: `${base}${keys}`,
    grant_types_supported: ['client_credentials'],
    ...clientAuthenticationMetadata(authority),
    ...mtlsMetadata(authority, tenantId, token),
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  }
}
