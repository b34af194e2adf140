import type { AppRoleAssignment } from '../../directory/app-role-assignment.ts'
import type { ServicePrincipal } from '../../directory/service-principal.ts'
import type { Tenant } from '../../directory/tenant.ts'
import type { AppRoleAssignmentRow, ServicePrincipalRow, TenantRow } from './tables.ts'

const maxKeyLength = 256

/**
 * A text for comparisons without case. It is cut, because PostgreSQL limits the size of an index entry,
 * so equal keys do not prove equal texts.
 */
export const nameKey = (text: string): string => text.toLowerCase().slice(0, maxKeyLength)

/** A time as a stored text. */
export const text = (time: Date): string => time.toISOString()
/** A time as a stored text, or null. */
export const textOrNull = (time: Date | null): string | null => time && text(time)
/** The time of a stored text, or null. */
export const timeOrNull = (stored: string | null): Date | null =>
  stored === null ? null : new Date(stored)

export const tenantToRow = (tenant: Tenant, revision: number): TenantRow => ({
  id: tenant.id,
  display_name: tenant.displayName,
  domains: JSON.stringify(tenant.domains),
  is_enabled: Number(tenant.isEnabled),
  created_at: text(tenant.createdDateTime),
  revision,
})

export const tenantFromRow = (row: TenantRow): Tenant => ({
  id: row.id,
  displayName: row.display_name,
  domains: JSON.parse(row.domains),
  isEnabled: row.is_enabled === 1,
  createdDateTime: new Date(row.created_at),
})

export const servicePrincipalToRow = (
  principal: ServicePrincipal,
  revision: number,
): ServicePrincipalRow => ({
  id: principal.id,
  tenant_id: principal.tenantId,
  app_id: principal.appId,
  display_name: principal.displayName,
  created_at: text(principal.createdDateTime),
  deleted_at: textOrNull(principal.deletedDateTime),
  account_enabled: Number(principal.accountEnabled),
  app_role_assignment_required: Number(principal.appRoleAssignmentRequired),
  revision,
  name_key: nameKey(principal.displayName),
})

export const servicePrincipalFromRow = (row: ServicePrincipalRow): ServicePrincipal => ({
  id: row.id,
  tenantId: row.tenant_id,
  appId: row.app_id,
  displayName: row.display_name,
  createdDateTime: new Date(row.created_at),
  deletedDateTime: timeOrNull(row.deleted_at),
  accountEnabled: row.account_enabled === 1,
  appRoleAssignmentRequired: row.app_role_assignment_required === 1,
})

export const appRoleAssignmentToRow = (
  assignment: AppRoleAssignment,
  revision: number,
): AppRoleAssignmentRow => ({
  id: assignment.id,
  tenant_id: assignment.tenantId,
  principal_id: assignment.principalId,
  resource_id: assignment.resourceId,
  app_role_id: assignment.appRoleId,
  created_at: text(assignment.createdDateTime),
  revision,
})

export const appRoleAssignmentFromRow = (row: AppRoleAssignmentRow): AppRoleAssignment => ({
  id: row.id,
  tenantId: row.tenant_id,
  principalId: row.principal_id,
  resourceId: row.resource_id,
  appRoleId: row.app_role_id,
  createdDateTime: new Date(row.created_at),
})
