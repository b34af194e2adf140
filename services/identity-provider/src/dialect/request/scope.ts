import { isGuid } from '../../directory/guid.ts'
import { refuseRequest } from '../refusals/request-refusal.ts'

const suffix = '/.default'

/** Scopes about users, which clients send along out of habit; they mean nothing here. */
const passedOver = new Set(['openid', 'profile', 'offline_access', 'email'])

/**
 * The resource that a scope asks a token for: what stands before `/.default`, as it stands there.
 *
 * @throws {RefusedError} scope_missing, scope_not_default, scope_malformed, scope_has_several_resources
 */
export function resourceOfScope(scope: string | undefined): string {
  if (scope === undefined) return refuseRequest({ reason: 'scope_missing' })
  const asked = scope.split(' ').filter((one) => one !== '' && !passedOver.has(one))
  if (asked.length === 0 || !asked.every((one) => one.endsWith(suffix)))
    refuseRequest({ reason: 'scope_not_default', scope })
  const [resource = '', ...others] = new Set(asked.map((one) => one.slice(0, -suffix.length)))
  if (others.length > 0) refuseRequest({ reason: 'scope_has_several_resources', scope })
  if (!isResourceName(resource)) refuseRequest({ reason: 'scope_malformed', scope })
  return resource
}

/** Whether a text can name an API at all: an application id, or an absolute URI. */
export const isResourceName = (name: string): boolean =>
  isGuid(name) || (/^[a-z][a-z0-9+.-]*:/i.test(name) && !name.includes('#') && URL.canParse(name))
