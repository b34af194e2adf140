import { isGuid } from '../../directory/guid.ts'
import type { Refused } from '../../issuance/refusal.ts'
import { type RequestRefusal, refuseRequest } from '../refusals/refusal.ts'

const suffix = '/.default'

/** Scopes about users. Some clients always send them. They have no meaning here. */
const ignoredScopes = new Set(['openid', 'profile', 'offline_access', 'email'])

/**
 * Reads the resource of a scope: the unchanged text before `/.default`.
 *
 * @returns the resource, or a refusal: `scope_missing`, `scope_not_default`,
 *   `scope_has_several_resources` or `scope_malformed`
 */
export function resourceOfScope(scope: string | undefined): string | Refused<RequestRefusal> {
  if (scope === undefined) return refuseRequest({ reason: 'scope_missing' })
  const scopes = scope.split(' ').filter((one) => one !== '' && !ignoredScopes.has(one))
  if (scopes.length === 0 || !scopes.every((one) => one.endsWith(suffix))) {
    return refuseRequest({ reason: 'scope_not_default', scope })
  }
  const [resource = '', ...others] = new Set(scopes.map((one) => one.slice(0, -suffix.length)))
  if (others.length > 0) return refuseRequest({ reason: 'scope_has_several_resources', scope })
  return isResourceName(resource) ? resource : refuseRequest({ reason: 'scope_malformed', scope })
}

/** Whether a text can be the name of an API: an application id, or an absolute URI. */
export const isResourceName = (name: string): boolean =>
  isGuid(name) || (/^[a-z][a-z0-9+.-]*:/i.test(name) && !name.includes('#') && URL.canParse(name))
