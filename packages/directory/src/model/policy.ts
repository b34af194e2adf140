import { emptyGuid } from './guid.ts'
import type { Json } from './properties/inert-properties.ts'

/** The kinds of policies. An object has at most one policy of each kind. */
export type PolicyKind = 'appManagement' | 'tokenLifetime' | 'claimsMapping'

/** A policy of a tenant. */
export type DirectoryPolicy = {
  /** A GUID in lower case, unique in the tenant. */
  readonly id: string
  readonly kind: PolicyKind
  readonly displayName: string
  readonly description: string | null
  /**
   * The rules in the form of Microsoft Graph. Of an app management policy its `restrictions`, of the
   * default one an object with `applicationRestrictions` and `servicePrincipalRestrictions`, else the
   * collection `definition`.
   */
  readonly definition: Json
  /** A disabled policy has no effect. */
  readonly isEnabled: boolean
  /** Whether it applies to all objects of the tenant without an assigned policy of its kind. */
  readonly isOrganizationDefault: boolean
}

export const maxPolicies = 100

/** The ID of the default app management policy. A tenant without such a policy has a disabled one. */
export const defaultAppManagementPolicyId = emptyGuid

type Assignee = { readonly policyIds: readonly string[] }

/**
 * The policy of a kind that applies: the one that is assigned to the service principal, else to the
 * application, else the default of the tenant. It may be disabled.
 */
export function policyOf(
  { policies }: { readonly policies: readonly DirectoryPolicy[] },
  kind: PolicyKind,
  application: Assignee | undefined,
  principal: Assignee | undefined,
): DirectoryPolicy | undefined {
  const ofKind = policies.filter((policy) => policy.kind === kind)
  const assignedTo = (object: Assignee | undefined) =>
    ofKind.find(({ id }) => object?.policyIds.includes(id))
  return (
    assignedTo(principal) ??
    assignedTo(application) ??
    ofKind.find(({ isOrganizationDefault }) => isOrganizationDefault)
  )
}
