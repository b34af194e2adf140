import type { OptionRule } from '../option-rules.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * True if secrets and tokens may be sent to this URL: https, or http on the local machine.
 *
 * @see RFC 6750 section 5.3
 */
export function isSecureUrl(url: URL): boolean {
  const isEncrypted = url.protocol === 'https:'
  const isLocal = url.protocol === 'http:' && loopback.test(url.hostname)
  return (isEncrypted || isLocal) && url.username === '' && url.password === ''
}

export const secureUrl: OptionRule = {
  expected: 'an https URL (http only for localhost), without user name, query or fragment',
  accepts: (value) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    return url !== null && isSecureUrl(url) && url.search === '' && url.hash === ''
  },
}

/** The URL of a tenant. A URL of the server, an issuer or a token endpoint is refused. */
export const tenantUrl: OptionRule = {
  expected:
    'an https URL (http only for localhost) that ends with the tenant, such as https://login.microsoftonline.com/{tenant ID}, without /v2.0, /oauth2, user name, query or fragment',
  accepts: (value) => {
    const { pathname } = URL.parse(String(value)) ?? { pathname: '/' }
    const segments = pathname.toLowerCase().split('/')
    const isBelowTenant = segments.includes('v2.0') || segments.includes('oauth2')
    return secureUrl.accepts(value) && pathname !== '/' && !isBelowTenant
  },
}
