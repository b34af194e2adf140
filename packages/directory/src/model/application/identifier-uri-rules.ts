import { isGuid } from '../guid.ts'
import { isLoopbackUrl } from '../issuer-url.ts'
import { domainsOf, type Tenant } from '../tenant.ts'
import type { ValidationIssue } from '../validation-issue.ts'

/** The form in which identifier URIs are compared. Entra ID ignores case. */
export const caseless = (identifierUri: string): string => identifierUri.toLowerCase()

/** Validates the form of the names of an API. Which ones are permitted is a matter of policies. */
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

/** Whether a URI has a name of its owner in a documented place (entra E148), or is of this machine. */
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

/** Whether a URI has the ID of another application or tenant in the place of its own. */
export function namesAnother(uri: string, appId: string, tenant: Owner): boolean {
  const { host, path, isApi } = partsOf(uri)
  const [first = ''] = path.split('/', 1)
  const isForeign = (id: string) => isGuid(id) && id !== appId
  return isApi && path !== appId && isForeign(host === tenant.id ? first : host)
}
