import type { AppRoleAssignment } from './app-role-assignment.ts'
import type { Application } from './application.ts'
import type { ServicePrincipal } from './service-principal.ts'
import type { Tenant } from './tenant.ts'

/** The objects of a directory, by kind. */
export type DirectoryObjects = {
  tenant: Tenant
  application: Application
  servicePrincipal: ServicePrincipal
  appRoleAssignment: AppRoleAssignment
}

/** A kind of object that a directory keeps. */
export type DirectoryKind = keyof DirectoryObjects

/** The new state of one object, whole; a null value means that it is gone for good. */
export type DirectoryChange = {
  [Kind in DirectoryKind]: {
    readonly kind: Kind
    readonly id: string
    readonly value: DirectoryObjects[Kind] | null
  }
}[DirectoryKind]

/** A change as it was committed. Revisions count the commits of the whole directory from 1. */
export type CommittedChange = DirectoryChange & { readonly revision: number }

/** The change that makes an object what `value` says. */
export const put = <Kind extends DirectoryKind>(
  kind: Kind,
  value: DirectoryObjects[Kind],
): DirectoryChange => ({ kind, id: value.id, value }) as DirectoryChange

/** The change after which an object is gone for good. */
export const remove = (kind: DirectoryKind, id: string): DirectoryChange =>
  ({ kind, id, value: null }) as DirectoryChange
