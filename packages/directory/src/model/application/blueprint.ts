/** True if agents inherit the roles that the service principal of their blueprint has for one API. */
export type InheritablePermission = {
  readonly resourceAppId: string
  /** Delegated permissions. They are kept only, because no user takes part. */
  readonly scopes: 'allAllowed' | 'enumerated' | 'none'
  /** The enumerated ones. */
  readonly scopeValues?: readonly string[]
  readonly roles: 'allAllowed' | 'none'
}

/**
 * The properties that make an application the blueprint of agent identities. Its credentials authenticate its agents.
 *
 * @see https://learn.microsoft.com/graph/api/resources/agentidentityblueprint
 */
export type Blueprint = {
  /** The object IDs of users and groups. They are kept only. */
  readonly sponsorIds: readonly string[]
  readonly inheritablePermissions: readonly InheritablePermission[]
}
