/** Consent, as an object: this principal has this role at this resource. */
export type AppRoleAssignment = {
  /** 43 characters, base64url: case matters. */
  readonly id: string
  readonly tenantId: string
  /** Object id of the client's service principal. */
  readonly principalId: string
  /** Object id of the API's service principal. */
  readonly resourceId: string
  /** Id of a role of that API, or the empty GUID for access without a role. */
  readonly appRoleId: string
  readonly createdDateTime: Date
}
