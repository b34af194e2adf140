// Folder: The tables, and the conversion between rows and objects.

import type { AuditLane } from '../../../audit/audit-trail.ts'
import type { RevisionLog } from '../../../live/commit.ts'

/**
 * The tables of the store, the same in every database. Times are texts in UTC (`2030-01-01T00:00:00.000Z`),
 * which sort by time. Booleans are 0 and 1. Bytes are base64. Lists that are only read as a whole are JSON.
 */
export type Tables = {
  /** The latest commit of each log: of the keys, of each tenant, and of what is unique among tenants. */
  revision: { log: string; number: number; mark: string | null }
  /** The mark of each commit. */
  commit_mark: { log: RevisionLog | 'heartbeat'; revision: number; mark: string }
  tenant: TenantRow
  /** The domains of each tenant, for lookups. */
  tenant_domain: { tenant_id: string; domain: string }
  application: ApplicationRow
  app_role: AppRoleRow
  password_credential: PasswordCredentialRow
  key_credential: KeyCredentialRow
  federated_identity_credential: FederatedIdentityCredentialRow
  identifier_uri: IdentifierUriRow
  service_principal: ServicePrincipalRow
  service_principal_credential: ServicePrincipalCredentialRow
  app_role_assignment: AppRoleAssignmentRow
  /**
   * Objects of the directory that were removed, for replicas that still have them in memory and for clients
   * that follow the changes of a tenant. The removal of one that was not there has no tenant.
   */
  removed_object: { kind: string; id: string; revision: number; tenant_id: string | null }
  /**
   * The numbers of objects that are not soft-deleted, by their table, and as `object` of all. Each commit
   * counts its own changes.
   */
  directory_count: { tenant_id: string; kind: string; number: number }
  signing_key: SigningKeyRow
  /** The latest time of a server, for those that read a standby. */
  heartbeat: { id: number; at: string }
  clock_mark: ClockMarkRow
  spent_assertion: { client_id: string; jti_sha256: string; expires_at: string }
  credential_use: { key_id: string; last_used_at: string }
  directory_audit: AuditRow
  sign_in_audit: AuditRow
}

/** An object, and the commit in which it last changed, with the mark of the commit. */
type ObjectRow = { id: string; revision: number; mark: string }

/** An object that lists find by its name. */
type NamedRow = ObjectRow & {
  tenant_id: string
  app_id: string
  display_name: string
  deleted_at: string | null
  /** The name for lists, see `nameKey`. */
  name_key: string
  /** See `wordStartsText`. */
  word_starts: string
}

/** The columns of a tenant that statements name. `tenantProperties` names the others. */
export type TenantRow = ObjectRow & { display_name: string; created_at: string }

/** The columns of an application that statements name. `applicationProperties` names the others. */
export type ApplicationRow = NamedRow & { identifier_uris: string; unique_name: string | null }

/** An identifier URI of an application, for lookups and lists. */
export type IdentifierUriRow = { application_id: string; tenant_id: string; uri_key: string }

type PartOfApplication = {
  application_id: string
  /** Its position in the list. */
  position: number
}

export type AppRoleRow = PartOfApplication & {
  id: string
  allowed_member_types: string
  description: string
  display_name: string
  is_enabled: number
  value: string | null
}

type CredentialRow = PartOfApplication & {
  /** For the list of ending credentials. */
  tenant_id: string
  key_id: string
  display_name: string | null
  starts_at: string
  ends_at: string
}

export type PasswordCredentialRow = CredentialRow & { hint: string; secret_sha256: string }

export type KeyCredentialRow = CredentialRow & {
  certificate: string
  sha1_thumbprint: string
  sha256_thumbprint: string
}

export type FederatedIdentityCredentialRow = PartOfApplication & {
  id: string
  name: string
  description: string | null
  issuer: string
  /** Empty when the credential has an expression. */
  subject: string
  audiences: string
  claims_matching_expression: string | null
}

/** The columns of a service principal that statements name. `servicePrincipalProperties` names the others. */
export type ServicePrincipalRow = NamedRow & {
  created_at: string
  password_credentials: string
  key_credentials: string
  agent_blueprint_id: string | null
}

/** The end of a service principal's secret or certificate, for the list of expiring credentials. */
export type ServicePrincipalCredentialRow = Pick<
  CredentialRow,
  'tenant_id' | 'key_id' | 'display_name' | 'ends_at'
> & { service_principal_id: string; kind: 'secret' | 'certificate' }

export type AppRoleAssignmentRow = ObjectRow & {
  tenant_id: string
  principal_id: string
  resource_id: string
  app_role_id: string
  created_at: string
}

export type SigningKeyRow = {
  kid: string
  certificate: string
  sealed_private_key: string
  announced_at: string
  signs_from: string
  retired_at: string | null
  longest_token_seconds: number
}

/** See `ClockMarks`. */
type ClockMarkRow = { id: number; agreed_at: string; doubted_since: string | null }

export type AuditRow = {
  /** Sorts as it was written. */
  id: string
  at: string
  tenant_id: string | null
  actor: string
  action: string
  target: string | null
  outcome: string
  reason: string | null
  correlation_id: string | null
  blueprint_id: string | null
  lane: AuditLane | 'changes'
}
