import type { Directory } from '../../../directory/directory.ts'
import type { ServicePrincipal } from '../../../directory/service-principal/service-principal.ts'
import { activeServicePrincipal } from '../service-principals/find-service-principal.ts'

/** The owners that are not deleted. */
export const activeOwners = (
  directory: Directory,
  tenantId: string,
  ownerIds: readonly string[],
): ServicePrincipal[] =>
  ownerIds.flatMap((id) => activeServicePrincipal(directory, tenantId, id) ?? [])
