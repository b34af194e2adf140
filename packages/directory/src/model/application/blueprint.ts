/** Whether agents inherit the roles of one API that the service principal of their blueprint has. */
export type InheritablePermission = {
  readonly resourceAppId: string
  /** Delegated permissions. They are kept only, because no user takes part. */
  readonly scopes: 'allAllowed' | 'enumerated' | 'none'
  /** The enumerated ones. */
  readonly scopeValues?: readonly string[]
  readonly roles: 'allAllowed' | 'none'
}

/**
 * What an application has as the blueprint of agent identities. Its credentials authenticate its agents.
 *
 * @see https://learn.microsoft.com/graph/api/resources/agentidentityblueprint
 */
export type Blueprint = {
  /** The object IDs of users and groups. They are kept only. */
  readonly sponsorIds: readonly string[]
  readonly inheritablePermissions: readonly InheritablePermission[]
}
