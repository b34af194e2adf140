import type { Application } from './application/application.ts'
import type { AppRoleAssignment } from './service-principal/app-role-assignment.ts'
import type { ServicePrincipal } from './service-principal/service-principal.ts'
import type { Tenant } from './tenant.ts'

/** The objects of a directory, by kind. */
export type DirectoryObjects = {
  tenant: Tenant
  application: Application
  servicePrincipal: ServicePrincipal
  appRoleAssignment: AppRoleAssignment
}

export type DirectoryKind = keyof DirectoryObjects

/** The complete new state of one object; null if it is removed permanently. */
export type DirectoryChange = {
  [Kind in DirectoryKind]: {
    readonly kind: Kind
    readonly id: string
    readonly value: DirectoryObjects[Kind] | null
  }
}[DirectoryKind]

/** A committed change, with the random mark of its commit. */
export type CommittedChange = DirectoryChange & { readonly mark: string }

/** Creates the change that creates or replaces an object. */
export const put = <Kind extends DirectoryKind>(
  kind: Kind,
  value: DirectoryObjects[Kind],
): DirectoryChange => ({ kind, id: value.id, value }) as DirectoryChange

/** Creates the change that removes an object permanently. */
export const remove = (kind: DirectoryKind, id: string): DirectoryChange =>
  ({ kind, id, value: null }) as DirectoryChange
