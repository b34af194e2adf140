import { isGuid } from '../guid.ts'
import { isLoopbackUrl } from '../issuer-url.ts'
import { domainsOf, type Tenant } from '../tenant.ts'
import type { ValidationIssue } from '../validation-issue.ts'

/** The properties of an application that limit its names. */
export type NamedApplication = {
  readonly appId: string
  readonly identifierUris: readonly string[]
}

/** The form in which identifier URIs are compared. Entra ID ignores case. */
export const caseless = (identifierUri: string): string => identifierUri.toLowerCase()

/**
 * Validates the names of an API. Each must contain an ID or a verified domain of its owner, or be a URL
 * of this machine.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/identifier-uri-restrictions
 */
export function judgeIdentifierUris(
  { appId, identifierUris }: NamedApplication,
  tenant: Pick<Tenant, 'id' | 'domains'>,
): ValidationIssue[] {
  const seen = new Set<string>()
  return identifierUris.flatMap((uri, index): ValidationIssue[] => {
    const isRepeated = seen.has(caseless(uri))
    seen.add(caseless(uri))
    const fault = (code: ValidationIssue['code'], message: string): ValidationIssue[] => [
      { code, path: [index], message },
    ]
    if (/[\s#?]/.test(uri) || !URL.canParse(uri))
      return fault('invalid_value', 'must be an absolute URI without spaces, query and fragment')
    if (uri.endsWith('/')) return fault('invalid_value', 'must not end with a slash')
    if (isRepeated) return fault('duplicate_value', 'must not be repeated')
    if (isLoopbackUrl(uri) || hasTenantName(uri, appId, tenant)) return []
    return fault(
      'unverified_name',
      'must contain a verified domain of the tenant, the id of the tenant, or the application id',
    )
  })
}

/** Whether a URI contains an ID or a verified domain of its owner. */
export function hasTenantName(
  uri: string,
  appId: string,
  tenant: Pick<Tenant, 'id' | 'domains'>,
): boolean {
  const [, scheme, host, path] = /^([a-z]+):\/\/([^/]+)(?:\/(.+))?$/.exec(caseless(uri)) ?? []
  if (host === undefined) return false
  if (scheme === 'api') {
    if (host === appId || path === appId) return true
    // Below the tenant's id, a GUID would be read as the id of another application.
    const [first = ''] = path?.split('/', 1) ?? []
    return host === tenant.id && (first === appId || !isGuid(first))
  }
  if (scheme !== 'https') return false
  return domainsOf(tenant).some((domain) => host === domain || host.endsWith(`.${domain}`))
}
