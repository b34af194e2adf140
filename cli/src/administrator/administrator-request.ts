import type { GraphRequest } from '@greeting/registrations/apply'

/** The application roles that the commands of an administrator need. */
type GraphRole =
  | 'Application.ReadWrite.All'
  | 'AppRoleAssignment.ReadWrite.All'
  | 'SigningKey.ReadWrite.All'
  | 'AuditLog.Read.All'

/** A request of an administrator: to Graph, or to the management API. */
export type AdministratorRequest = Omit<GraphRequest, 'role'> & { readonly role?: GraphRole }

/** The answer to such a request, of any status. */
export type AdministratorReply = {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the body; undefined when it has none. */
  readonly body: unknown
}

/** Sends a request with the token of the administrator. */
export type SendOnce = (request: AdministratorRequest) => Promise<AdministratorReply>
