import { emptyGuid } from './guid.ts'
import type { Json } from './properties/inert-properties.ts'

/** The kinds of policies. An object has at most one policy of each kind. */
export type PolicyKind = 'appManagement' | 'tokenLifetime' | 'claimsMapping' | 'trustedAuthorities'

export type DirectoryPolicy = {
  /** A GUID in lower case, unique in the tenant. */
  readonly id: string
  readonly kind: PolicyKind
  readonly displayName: string
  readonly description: string | null
  /**
   * The rules in the form of Microsoft Graph. Of an app management policy its `restrictions`, of the
   * default one an object with `applicationRestrictions` and `servicePrincipalRestrictions`, of trusted
   * authorities their list, else the collection `definition`.
   */
  readonly definition: Json
  /** A disabled policy has no effect. */
  readonly isEnabled: boolean
  /** Whether it applies to all objects of the tenant without an assigned policy of its kind. */
  readonly isOrganizationDefault: boolean
}

export const maxPolicies = 100

export const defaultAppManagementPolicyId = emptyGuid

/** The default app management policy of a tenant that never changed it (entra E220). */
export const initialAppManagementPolicy: DirectoryPolicy = {
  id: defaultAppManagementPolicyId,
  kind: 'appManagement',
  displayName: 'Default app management tenant policy',
  description:
    'Default tenant policy that enforces app management restrictions on applications and service principals. To apply policy to targeted resources, create a new policy under appManagementPolicies collection.',
  definition: {},
  isEnabled: true,
  isOrganizationDefault: true,
}

type Assignee = { readonly policyIds: readonly string[] }

/**
 * The policy of one kind that applies to an object: the one assigned to the service principal, else
 * to the application, else the tenant's default. It may be disabled. The default token lifetime
 * policy precedes the application's policy (entra E246).
 */
export function policyOf<Policy extends DirectoryPolicy>(
  { policies }: { readonly policies: readonly Policy[] },
  kind: PolicyKind,
  application: Assignee | undefined,
  principal: Assignee | undefined,
): Policy | undefined {
  const ofKind = policies.filter((policy) => policy.kind === kind)
  const assignedTo = (object: Assignee | undefined) =>
    ofKind.find(({ id }) => object?.policyIds.includes(id))
  const byDefault = ofKind.find(({ isOrganizationDefault }) => isOrganizationDefault)
  const precedes = kind === 'tokenLifetime' ? byDefault : undefined
  return assignedTo(principal) ?? precedes ?? assignedTo(application) ?? byDefault
}

/** A duration of .NET, as in `8:00:00` and `1.00:00:00`. An hour after 23 is none (entra E247). */
const durationPattern = /^(?:([01])\.)?([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/
const [minTokenSeconds, maxTokenSeconds] = [600, 86_400]

/**
 * The lifetime in seconds that a token lifetime policy gives access tokens: null if it gives none,
 * and undefined if its definition is invalid.
 */
export function accessTokenSeconds(definition: Json): number | null | undefined {
  const rules = definitionRules(definition, 'TokenLifetimePolicy')
  const { Version: version, AccessTokenLifetime: lifetime = null } = rules ?? {}
  if (version !== 1) return undefined
  if (lifetime === null) return null
  const [, days = 0, hours, minutes, seconds = 0] = durationPattern.exec(String(lifetime)) ?? []
  const total =
    Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return total >= minTokenSeconds && total <= maxTokenSeconds ? total : undefined
}

/** Parses the rules in the JSON text of a `definition`; undefined if the text has another format. */
export function definitionRules(
  definition: Json,
  name: 'TokenLifetimePolicy' | 'ClaimsMappingPolicy',
): Readonly<Record<string, unknown>> | undefined {
  const [text, ...others] = Array.isArray(definition) ? definition : []
  if (typeof text !== 'string' || others.length > 0) return undefined
  try {
    const { [name]: rules, ...unknown } = Object(JSON.parse(text))
    return Object.keys(unknown).length === 0 && typeof rules === 'object' ? rules : undefined
  } catch {
    return undefined
  }
}
