import { type Authority, issuerV1, issuerV2 } from '../authority.ts'
import { clientAuthenticationMetadata } from './discovery-document.ts'

/** Which tokens a metadata document is about; each has its own issuer. */
const versions = {
  '1.0': { issuer: issuerV1, keys: '/discovery/keys', token: '/oauth2/token' },
  '2.0': { issuer: issuerV2, keys: '/discovery/v2.0/keys', token: '/oauth2/v2.0/token' },
} as const

/**
 * The metadata of this authorization server as OAuth 2.0 wants it: only what is really served.
 *
 * @see RFC 8414 §2; members without a value are left out, as §3.2 says.
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
    ...clientAuthenticationMetadata,
  }
}
