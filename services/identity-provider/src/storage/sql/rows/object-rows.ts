import type { AppRoleAssignment } from '../../../directory/service-principal/app-role-assignment.ts'
import type { Tenant } from '../../../directory/tenant.ts'
import { wordStarts } from '../../../directory/words.ts'
import type { AppRoleAssignmentRow, TenantRow } from './tables.ts'

const maxKeyLength = 256

/**
 * A text for comparisons without case. It is cut, because PostgreSQL limits the size of an index entry,
 * so equal keys do not prove equal texts.
 */
export const nameKey = (text: string): string => text.toLowerCase().slice(0, maxKeyLength)

/** The beginnings of the words of a name, each between spaces: ` j jo o of `. */
export const wordStartsText = (name: string): string => ` ${wordStarts(name).join(' ')} `

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
