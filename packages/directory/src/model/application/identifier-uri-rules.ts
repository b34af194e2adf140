import { isGuid } from '../guid.ts'
import { isLoopbackUrl } from '../issuer-url.ts'
import { domainsOf, type Tenant } from '../tenant.ts'
import type { ValidationIssue } from '../validation-issue.ts'

/** The normal form in which identifier URIs are compared, because Entra ID ignores case. */
export const caseless = (identifierUri: string): string => identifierUri.toLowerCase()

/** Validates the format of an API's identifier URIs. Policies decide which of them are permitted. */
export function judgeIdentifierUris(identifierUris: readonly string[]): ValidationIssue[] {
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
    return isRepeated ? fault('duplicate_value', 'must not be repeated') : []
  })
}

type Owner = Pick<Tenant, 'id' | 'domains'>

function partsOf(uri: string) {
  const [, scheme = '', host = '', path = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/]+)(?:\/(.+))?$/.exec(caseless(uri)) ?? []
  return { scheme, host, path, isApi: scheme === 'api' }
}

/** True if a URI contains a name of its tenant in a documented position (entra E148), or belongs to this machine. */
export function hasTenantName(uri: string, appId: string, tenant: Owner): boolean {
  const { scheme, host, path, isApi } = partsOf(uri)
  if (isLoopbackUrl(uri)) return true
  if (host === '' || namesAnother(uri, appId, tenant)) return false
  if (path === appId || path === tenant.id) return true
  if (isApi && (host === appId || host === tenant.id)) return true
  return domainsOf(tenant).some(
    (domain) => ((isApi || scheme === 'https') && host === domain) || host.endsWith(`.${domain}`),
  )
}

/** True if a URI contains the ID of another application or tenant. */
export function namesAnother(uri: string, appId: string, tenant: Owner): boolean {
  const { host, path, isApi } = partsOf(uri)
  const [first = ''] = path.split('/', 1)
  const isForeign = (id: string) => isGuid(id) && id !== appId
  return isApi && path !== appId && isForeign(host === tenant.id ? first : host)
}
