/** What an application is inside one tenant: the object that is assigned roles, and assigns them. */
export type ServicePrincipal = {
  /** Object id: GUID, lower case; `oid` and `sub` of the tokens of this client. */
  readonly id: string
  readonly tenantId: string
  /** The application that it stands for. */
  readonly appId: string
  readonly displayName: string
  readonly createdDateTime: Date
  readonly deletedDateTime: Date | null
  /** When false, nothing is issued to it or for it. */
  readonly accountEnabled: boolean
  /** When true, nothing is issued for it to a client that has no role of it. */
  readonly appRoleAssignmentRequired: boolean
}
